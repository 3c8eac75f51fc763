// Runs the gate on a story: the diff rules, and its checks in a clean checkout of the exact commit. Each part gives a
// receipt.

import type { Context } from "../context.ts";
import { whileGuarded } from "../machine/programs/config-guard.ts";
import { codeTree } from "../repo/code-tree.ts";
import { provision, provisionSettings } from "../repo/worktree/provision.ts";
import { gitDirOf } from "../repo/worktree/git-links.ts";
import { clearScratch, fillScratch, openScratch, scratchFolder } from "../repo/delivery/scratch.ts";
import { findTreeReceipt, keepTreeReceipt } from "../store/runs/tree-receipts.ts";
import { findingText } from "../story/receipts/finding-text.ts";
import type { KeyedFinding, Receipt } from "../story/receipts/receipt.ts";
import type { Story } from "../story/definition/story.ts";
import type { Task } from "../story/definition/task.ts";
import type { GateDefinition } from "../story/receipts/weakened-definition.ts";
import { checkPlace } from "./check-place.ts";
import { runChecks } from "./checks.ts";
import { runDiffGate } from "./diff-gate.ts";
import { boundsOfWrites, declaredWrites } from "./globs.ts";
import { judgingMark, judgingVariables } from "./end-leftover-checks.ts";

export interface GateWork extends Pick<Context, "repository" | "settings" | "env" | "now"> {
  readonly story: Pick<Story, "id" | "checks" | "writeFiles">;
  readonly tasks: readonly Pick<Task, "writeFiles" | "splitFrom">[];
  /** The story as people gave it (`repo/commits/initial-definition.ts`), and where it asks for less than that. */
  readonly initial?: readonly GateDefinition[] | undefined;
  readonly weakened?: readonly KeyedFinding[] | undefined;
  /** A stopped gate throws and gives no receipt. */
  readonly stop?: AbortSignal | undefined;
  /** Added to the environment of checks, such as the mark of a run. */
  readonly variables?: Readonly<Record<string, string>> | undefined;
  /** Tester and reviewer, called with the checkout in which the checks passed. */
  readonly inspect?: ((folder: string) => Promise<readonly Receipt[]>) | undefined;
  /** Runs everything despite failures, so that a person who may override findings sees all of them. */
  readonly isThorough?: boolean | undefined;
  /** Whether a check that passed on the same tree counts without running again. */
  readonly mayReuse?: boolean | undefined;
  /** The output of the running check, as it comes. */
  readonly onOutput?: ((chunk: Buffer) => void) | undefined;
  /** Progress for a waiting person. */
  readonly onStep?: ((about: string) => void) | undefined;
}

/** The commits to judge. */
export interface Range {
  readonly from: string;
  readonly commit: string;
}

/** The diff rules come first: if they fail, no check runs. Checks stop at the first failure. `isThorough` runs all. */
export async function judgeStory(work: GateWork, range: Range): Promise<readonly Receipt[]> {
  const { story, isThorough = false } = work;
  const diff = await judgeDiffOf(work, range);
  const isNothingLeft = story.checks.length === 0 && !work.inspect;
  if (isNothingLeft || !(diff.isPassed || isThorough)) return [diff];
  return [diff, ...(await judgeCommit(work, range.commit))];
}

/** Runs the checks, and then tester and reviewer, in a clean checkout of a commit. */
export async function judgeCommit(work: GateWork, commit: string): Promise<readonly Receipt[]> {
  const { repository, story, inspect } = work;
  const reused = findReused(work, await codeTree(repository.git, commit));
  if (!inspect && isAllKnown(work, reused)) return [...reused.values()];
  await clearScratch(repository, story.id);
  try {
    const git = await openScratch(repository, story.id, commit);
    await fillScratch(git, commit);
    const folder = scratchFolder(repository, story.id);
    const checks = await judgeChecks(work, { commit }, folder);
    const isPassed = checks.every((receipt) => receipt.isPassed);
    const inspected = isPassed ? await inspect?.(folder) : [];
    return [...checks, ...(inspected ?? [])];
  } finally {
    await clearScratch(repository, story.id);
  }
}

export async function judgeDiffOf(work: GateWork, { from, commit }: Range): Promise<Receipt> {
  const { repository, story, tasks, settings, now } = work;
  work.onStep?.("checking the diff");
  return runDiffGate({
    git: repository.git,
    from,
    to: commit,
    tree: await codeTree(repository.git, commit),
    storyId: story.id,
    writeFiles: declaredWrites(story, tasks),
    bounds: boundsOfWrites(story, work.initial ?? []),
    weakened: work.weakened,
    settings: settings.gate,
    now,
  });
}

/**
 * Runs the checks in a clean checkout of that commit, provisioned like a worktree. Checks run code that an agent wrote, so
 * git settings that they change are not trusted.
 */
export const judgeChecks = (
  work: GateWork,
  range: Pick<Range, "commit">,
  folder: string,
): Promise<readonly Receipt[]> =>
  whileGuarded(
    { folder: work.repository.project, env: work.env },
    { mark: judgingMark(work.repository.project, work.story.id) },
    () => runAllChecks(work, range, folder),
  );

async function runAllChecks(
  work: GateWork,
  { commit }: Pick<Range, "commit">,
  folder: string,
): Promise<readonly Receipt[]> {
  const { repository, story, settings, env, now, stop } = work;
  const tree = await codeTree(repository.git, commit);
  const reused = findReused(work, tree);
  // Tester and reviewer run the code too.
  if (!work.inspect && isAllKnown(work, reused)) return [...reused.values()];
  const variables = { ...work.variables, ...judgingVariables(repository.project, story.id) };
  const { project } = repository;
  await provision({
    project,
    worktree: folder,
    gitDir: gitDirOf(folder) ?? folder,
    ...provisionSettings(settings.worktree),
    env,
    variables,
    stop,
  });
  const place = await checkPlace({
    cwd: folder,
    commonDir: repository.commonDir,
    env,
    storyId: story.id,
    settings,
    variables,
    stop,
    onOutput: work.onOutput,
  });
  const receipts: Receipt[] = [];
  for (const command of story.checks) {
    const known = reused.get(command);
    if (known !== undefined) {
      receipts.push(known);
      continue;
    }
    work.onStep?.(command);
    const [result] = await runChecks([command], place);
    if (!result) break;
    const at = new Date(now()).toISOString();
    const receipt: Receipt = { at, gate: "check", tree, findings: [], ...result };
    receipts.push(receipt);
    // Without its output, which may contain secrets.
    keepTreeReceipt({ project, env }, { ...receipt, tail: undefined });
    if (!result.isPassed && !work.isThorough) break;
  }
  return receipts;
}

const INSPECTORS: Readonly<Record<string, string>> = { test: "tester", review: "reviewer" };

/** By command: the checks that passed on this tree before. */
export const findReused = (
  { repository: { project }, story, env, mayReuse }: GateWork,
  tree: string,
): ReadonlyMap<string, Receipt> =>
  new Map(
    (mayReuse ? story.checks : []).flatMap((command) => {
      const receipt = findTreeReceipt({ project, env }, { tree, command });
      return receipt ? [[command, receipt] as const] : [];
    }),
  );

const isAllKnown = ({ story }: GateWork, reused: ReadonlyMap<string, Receipt>): boolean =>
  story.checks.every((command) => reused.has(command));

/** One sentence about the first failure; undefined if everything passed. */
export function whyNotPassed(receipts: readonly Receipt[]): string | undefined {
  const failed = receipts.find(({ isPassed }) => !isPassed);
  if (failed === undefined) return undefined;
  if (failed.command !== undefined)
    return `The check \`${failed.command}\` failed (${failed.how}).`;
  const [first, ...others] = failed.findings;
  const more = others.length === 0 ? "" : ` (and ${others.length} more)`;
  if (first !== undefined) return `${findingText(first)}${more}`;
  return `No approval from the ${INSPECTORS[failed.gate] ?? failed.gate}: ${failed.how ?? "the reason is unknown"}.`;
}
