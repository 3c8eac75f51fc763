// The gate that looks at what a story has changed: reads the facts, judges them, searches for secrets,
// and answers with a receipt.

import type { Git } from "../machine/programs/git.ts";
import { readAddedText, readMergedText } from "../repo/diff/added-text.ts";
import {
  readChangedFiles,
  readChanges,
  readCommitChanges,
  type DiffEntry,
} from "../repo/diff/changes.ts";
import { listCommits, readMessages } from "../repo/diff/commit-list.ts";
import type { KeyedFinding, Receipt } from "../story/receipts/receipt.ts";
import type { Settings } from "../story/settings/settings.ts";
import { judgeDiff, type DiffRules } from "./diff.ts";
import type { SearchText } from "./secrets.ts";

export interface DiffGateRequest {
  readonly git: Git;
  /** Where the story began, with all that it has taken in since: the merge base. */
  readonly from: string;
  readonly to: string;
  /** What the receipt is for. */
  readonly tree: string;
  readonly storyId: string;
  /** What it declares to write; nothing when it does not say. */
  readonly writeFiles: readonly string[] | undefined;
  /** How far that goes at most; see there. */
  readonly bounds?: DiffRules["bounds"];
  /** What it asks for less than when it began. */
  readonly weakened?: readonly KeyedFinding[] | undefined;
  readonly settings: Settings["gate"];
  readonly now: () => number;
}

export async function runDiffGate(gate: DiffGateRequest): Promise<Receipt> {
  const { git, from, to, tree, storyId, writeFiles, bounds, settings, now } = gate;
  const startedAt = performance.now();
  const changes = await readChanges(git, from, to);
  const judged = judgeDiff(changes, { storyId, writeFiles, bounds, limits: settings });
  const secrets = await allSecrets(gate, changes.files);
  const findings = capPerRule([...secrets, ...(gate.weakened ?? []), ...judged]);
  return {
    at: new Date(now()).toISOString(),
    gate: "diff",
    tree,
    isPassed: findings.length === 0,
    ms: Math.round(performance.now() - startedAt),
    findings,
  };
}

type SearchRange = Pick<DiffGateRequest, "git" | "from" | "to" | "settings">;

/** What looks like a secret between two commits, and nothing else: for whoever makes them public. */
export async function findSecretsBetween(place: SearchRange): Promise<readonly KeyedFinding[]> {
  const { git, from, to, settings } = place;
  if (!settings.secrets) return [];
  return capPerRule(await allSecrets(place, await readChangedFiles(git, from, to)));
}

async function allSecrets(
  place: SearchRange,
  files: readonly DiffEntry[],
): Promise<readonly KeyedFinding[]> {
  const { git, settings } = place;
  if (!settings.secrets) return [];
  return [
    ...(await secretsIn(readAddedText(git, files), settings.secretsAllow)),
    ...(await secretsInHistory(place)),
  ];
}

/** What one commit added and a later one took away is in the history all the same. */
async function secretsInHistory({
  git,
  from,
  to,
  settings,
}: SearchRange): Promise<readonly KeyedFinding[]> {
  // The last one's text is there still, and was searched with the rest; what came before a merge may not be.
  const isOnTheWay = (commit: string): boolean => commit !== to;
  const { plain, merges } = await listCommits(git, from, to);
  const changes = await readCommitChanges(git, plain.filter(isOnTheWay));
  return [
    ...(await secretsIn(readAddedText(git, changes), settings.secretsAllow)),
    ...(await secretsIn(readMergedText(git, merges.filter(isOnTheWay)), settings.secretsAllow)),
    ...(await secretsIn(await readMessages(git, [...plain, ...merges]), settings.secretsAllow)),
  ];
}

async function secretsIn(
  added: AsyncIterable<SearchText> | Iterable<SearchText>,
  allow: readonly string[],
): Promise<readonly KeyedFinding[]> {
  const { findSecrets } = await import("./secrets.ts");
  return findSecrets(added, allow);
}

/** A receipt is read by people: a folder that was committed by mistake is one thing to say. */
const MAX_OF_A_RULE = 20;

function capPerRule(findings: readonly KeyedFinding[]): KeyedFinding[] {
  const rules = new Set(findings.map(({ rule }) => rule));
  return [...rules].flatMap((rule) => {
    const all = findings.filter((one) => one.rule === rule);
    const more = all.length - MAX_OF_A_RULE;
    if (more <= 1) return all;
    const message = `There are ${more} more of this kind.`;
    return [...all.slice(0, MAX_OF_A_RULE), { rule, key: "more", message }];
  });
}
