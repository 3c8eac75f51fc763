// Whether a story's work counts: what it changed, and its checks on a clean checkout of the exact commit.
// Each answer is a receipt.

import type { Context } from "../context.ts";
import { dirname, join } from "node:path";
import { ifThere, readText } from "../machine/files/files.ts";
import { whileGuarded } from "../machine/programs/config-guard.ts";
import { codeTree } from "../repo/code-tree.ts";
import { provision, provisionSettings } from "../repo/worktree/provision.ts";
import { portVariables } from "../repo/worktree/ports.ts";
import { clearScratch, fillScratch, openScratch, scratchFolder } from "../repo/delivery/scratch.ts";
import { findingText } from "../story/receipts/finding-text.ts";
import type { KeyedFinding, Receipt } from "../story/receipts/receipt.ts";
import type { Story } from "../story/definition/story.ts";
import type { Task } from "../story/definition/task.ts";
import type { GateDefinition } from "../story/receipts/weakened-definition.ts";
import { checkPlace } from "./check-place.ts";
import { runChecks } from "./checks.ts";
import { runDiffGate } from "./diff-gate.ts";
import { boundsOfWrites, declaredWrites } from "./globs.ts";
import { judgingMark, judgingVariables } from "./judging.ts";

export interface GateWork extends Pick<Context, "repository" | "settings" | "env" | "now"> {
  readonly story: Pick<Story, "id" | "checks" | "writeFiles">;
  readonly tasks: readonly Pick<Task, "writeFiles" | "splitFrom">[];
  /** The story as people gave it (`repo/commits/initial-definition.ts`), and where it asks for less than that. */
  readonly initial?: readonly GateDefinition[] | undefined;
  readonly weakened?: readonly KeyedFinding[] | undefined;
  /** Cut off, nothing is judged: it throws, and there is no receipt. */
  readonly stop?: AbortSignal | undefined;
  /** What checks find in their environment besides: the mark of a run. */
  readonly variables?: Readonly<Record<string, string>> | undefined;
  /** What else has to look at it, in the checkout where its checks have passed. */
  readonly inspect?: ((folder: string) => Promise<readonly Receipt[]>) | undefined;
  /** Whatever refuses it, all of it is run: a person who is to set something aside has to see everything. */
  readonly isThorough?: boolean | undefined;
  /** For those who wait. */
  readonly onStep?: ((about: string) => void) | undefined;
}

/** What is judged: all that came between two commits. */
export interface Range {
  readonly from: string;
  readonly commit: string;
}

/**
 * The diff first: what it refuses need not be run. Checks run only as far as the first that fails. Unless
 * it is to be thorough.
 */
export async function judgeStory(work: GateWork, range: Range): Promise<readonly Receipt[]> {
  const { repository, story, isThorough = false } = work;
  const diff = await judgeDiffOf(work, range);
  const isNothingLeft = story.checks.length === 0 && !work.inspect;
  if (isNothingLeft || !(diff.isPassed || isThorough)) return [diff];
  await clearScratch(repository, story.id);
  try {
    const git = await openScratch(repository, story.id, range.commit);
    await fillScratch(git, range.commit);
    const folder = scratchFolder(repository, story.id);
    const checks = await judgeChecks(work, range, folder);
    const isPassed = checks.every((receipt) => receipt.isPassed);
    const inspected = isPassed ? await work.inspect?.(folder) : [];
    return [diff, ...checks, ...(inspected ?? [])];
  } finally {
    await clearScratch(repository, story.id);
  }
}

export async function judgeDiffOf(work: GateWork, { from, commit }: Range): Promise<Receipt> {
  const { repository, story, tasks, settings, now } = work;
  work.onStep?.("looking at the diff");
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
 * In a checkout that holds that commit and nothing else; it is given what worktrees are given. Checks run what an agent
 * wrote, so what they set up for git is not trusted either.
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
  const variables = { ...work.variables, ...judgingVariables(repository.project, story.id) };
  const { project } = repository;
  const gitDir = gitDirOf(folder);
  await provision({
    project,
    worktree: folder,
    gitDir,
    ...provisionSettings(settings.worktree),
    env,
    variables,
    stop,
  });
  const ports = await portVariables(
    { commonDir: repository.commonDir, storyId: story.id },
    settings.worktree,
  );
  const place = checkPlace({
    cwd: folder,
    env,
    storyId: story.id,
    settings,
    variables: { ...ports, ...variables },
    stop,
  });
  const receipts: Receipt[] = [];
  for (const command of story.checks) {
    work.onStep?.(command);
    const [result] = await runChecks([command], place);
    if (!result) break;
    const at = new Date(now()).toISOString();
    receipts.push({ at, gate: "check", tree, findings: [], ...result });
    if (!result.isPassed && !work.isThorough) break;
  }
  return receipts;
}

function gitDirOf(folder: string): string {
  const file = join(folder, ".git");
  const text = ifThere(() => readText(file)) ?? "";
  return text.replace(/^gitdir: /, "").trim() || dirname(file);
}

/** One sentence on what was not passed; nothing when all was. */
export function whyNotPassed(receipts: readonly Receipt[]): string | undefined {
  const failed = receipts.find(({ isPassed }) => !isPassed);
  if (failed === undefined) return undefined;
  if (failed.command !== undefined)
    return `The check \`${failed.command}\` failed (${failed.how}).`;
  const [first, ...others] = failed.findings;
  const more = others.length === 0 ? "" : ` (and ${others.length} more)`;
  if (first !== undefined) return `${findingText(first)}${more}`;
  return `The gate "${failed.gate}" was not passed: ${failed.how ?? "nobody knows why"}.`;
}
