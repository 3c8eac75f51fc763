// Whether the work of a task was merged into its target, shown by a commit that names the task and the run, and whether
// that is proven by sealed receipts of the run for the merged tree.

import type { Context } from "../../context.ts";
import type { Git } from "../../machine/programs/git.ts";
import { codeTree } from "../../repo/code-tree.ts";
import { commitOfTask } from "../../repo/commits/pool-commit.ts";
import { readTarget, type Target } from "../../repo/delivery/target.ts";
import { findReceiptKey } from "../../store/runs/receipt-key.ts";
import { sealedReceipt } from "../../store/runs/receipts.ts";
import type { ClaudeCodeTask } from "../../claude/tasks/format.ts";
import { poolTaskOf } from "../../tasks/task.ts";
import type { Receipt } from "../../story/receipts/receipt.ts";
import { isLanding } from "../../store/runs/tree-receipts.ts";
import type { Settings } from "../../story/settings/settings.ts";

export interface Arrival {
  /** The task's commit in the target. */
  readonly commit: string;
  /** The gate passed for the merged code. If not, the checks have to run before the task is completed. */
  readonly isProven: boolean;
}

interface ArrivalContext extends Pick<Context, "store" | "settings" | "repository" | "env"> {
  /** The name of the list. */
  readonly list: string;
  readonly target: Target;
  readonly stop?: AbortSignal | undefined;
}

/** For a task whose worker is dead; undefined if its run merged nothing. */
export async function findArrival(
  context: ArrivalContext,
  task: ClaudeCodeTask,
): Promise<Arrival | undefined> {
  const { list, repository, target, stop, store, env } = context;
  const saga = task.metadata?.["saga"];
  const runId: unknown = typeof saga === "object" && saga !== null ? Reflect.get(saga, "run") : "";
  if (typeof runId !== "string" || runId === "") return undefined;
  const { git } = repository;
  const tip = await readTarget(repository, target, stop);
  const commit = await commitOfTask(git, tip, { id: `${list}/${task.id}`, runId });
  if (commit === undefined) return undefined;
  const tree = await codeTree(git, await landingOf(git, commit, tip));
  const receipts = await sealedReceipts({ store, env }, { worker: task.owner ?? "", runId });
  const checks = checksOf(context, poolTaskOf(task, 0).task ?? { checks: [] });
  const isProven =
    isLanding({ project: store.project, env }, commit) || isProof(receipts, { tree, checks });
  return { commit, isProven };
}

/** The commit that made it part of the target: itself, or the merge commit. */
async function landingOf(git: Git, commit: string, tip: string): Promise<string> {
  const after = ["rev-list", "--ancestry-path", "--parents", `${commit}..${tip}`, "--"];
  const children = (await git.ask(after))
    .split("\n")
    .map((line) => line.split(" "))
    .filter(([, ...parents]) => parents.includes(commit));
  const isOnTop = children.some(([, first]) => first === commit);
  return isOnTop ? commit : (children[0]?.[0] ?? commit);
}

/** The receipts of a run. Without the machine's key none of them counts. */
async function sealedReceipts(
  { store, env }: Pick<Context, "store" | "env">,
  { worker, runId }: { readonly worker: string; readonly runId: string },
): Promise<readonly Receipt[]> {
  const { key } = findReceiptKey(env);
  const { events } = await store.readEvents(worker, runId);
  return events.flatMap((event) => sealedReceipt(event, { storyId: worker, runId }, key) ?? []);
}

/** The diff gate and every check passed on exactly that tree. */
export function isProof(
  receipts: readonly Receipt[],
  { tree, checks }: { readonly tree: string; readonly checks: readonly string[] },
): boolean {
  const passed = receipts.filter((one) => one.tree === tree && one.isPassed);
  const hasDiff = passed.some(({ gate }) => gate === "diff");
  const commands = new Set(
    passed.flatMap(({ gate, command }) => (gate === "check" ? command : [])),
  );
  return hasDiff && checks.every((check) => commands.has(check));
}

/** The pool's checks first, then the task's. */
export const checksOf = (
  { settings }: { readonly settings: Settings },
  { checks }: { readonly checks: readonly string[] },
): string[] => [...new Set([...settings.auto.checks, ...checks])];
