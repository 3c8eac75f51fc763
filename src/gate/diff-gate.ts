// The diff gate: reads a story's changes, applies the diff rules, searches for secrets, and returns a receipt.

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
  /** The merge base: where the story's own work begins, including what it has merged since. */
  readonly from: string;
  readonly to: string;
  /** The tree that the receipt is for. */
  readonly tree: string;
  readonly storyId: string;
  /** The files that the story may change; undefined if it does not declare any. */
  readonly writeFiles: readonly string[] | undefined;
  readonly bounds?: DiffRules["bounds"];
  /** Where the story requires less than when it started. */
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

/** Only the search for secrets, for commits that are about to be pushed. */
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

/** A secret that one commit added and a later one removed is still in the history. */
async function secretsInHistory({
  git,
  from,
  to,
  settings,
}: SearchRange): Promise<readonly KeyedFinding[]> {
  // The last commit's text was already searched as a part of the result.
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

/** People read receipts: a folder committed by mistake should not fill pages. */
const MAX_OF_A_RULE = 20;

function capPerRule(findings: readonly KeyedFinding[]): KeyedFinding[] {
  const rules = new Set(findings.map(({ rule }) => rule));
  return [...rules].flatMap((rule) => {
    const all = findings.filter((one) => one.rule === rule);
    const more = all.length - MAX_OF_A_RULE;
    if (more <= 1) return all;
    const message = `${more} more findings of this kind.`;
    return [...all.slice(0, MAX_OF_A_RULE), { rule, key: "more", message }];
  });
}
