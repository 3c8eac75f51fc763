// A pool task's commit as an entry of its lane. It lands only while its worker waits for it: the work of a dead worker
// is found by the next one, which puts it in the lane again.

import * as z from "zod";
import { messageOf } from "../../errors.ts";
import { runDiffGate } from "../../gate/diff-gate.ts";
import { whyNotPassed } from "../../gate/story-gate.ts";
import type { LandingContext, LandingKind, LandingWork, Refused } from "../../landing/landing.ts";
import { redactorFor } from "../../machine/files/redact.ts";
import { livenessOf, thisProcess } from "../../machine/processes/process-id.ts";
import { readTaskFile } from "../../claude/tasks/file.ts";
import type { ClaudeCodeTask } from "../../claude/tasks/format.ts";
import { codeTree } from "../../repo/code-tree.ts";
import type { DeliveryResult } from "../../repo/delivery/land.ts";
import { followRemote } from "../../repo/delivery/target.ts";
import { processId } from "../../story/state/run.ts";
import type { Entry } from "../../story/landing/entry.ts";
import { withoutSecrets, type Receipt } from "../../story/receipts/receipt.ts";

const workSchema = z.object({
  branch: z.string(),
  tip: z.string(),
  /** Where the task's own commits begin. */
  start: z.string(),
  checks: z.array(z.string()),
  listFolder: z.string(),
  taskId: z.string(),
  runId: z.string(),
  process: processId,
});
type TaskWork = z.infer<typeof workSchema>;

/** For the entry of a task. */
export const taskEntry = (work: Omit<TaskWork, "process">): Record<string, unknown> => ({
  ...work,
  process: thisProcess(),
});

/** The outcome: a delivery, with the receipts of the gate. */
export type LandedTask = DeliveryResult & { readonly receipts?: readonly Receipt[] };

export const taskKind: LandingKind = async (context, entry) => {
  const work = workSchema.parse(entry.work);
  if (!(await isWaiting(work))) return { kind: "settled", outcome: { kind: "stopped" } };
  return { kind: "ready", work: landingWork(context, entry, work) };
};

/** Whether its worker lives and still has the task. */
async function isWaiting({ process, listFolder, taskId, runId }: TaskWork): Promise<boolean> {
  if (livenessOf(process) === "dead") return false;
  const file = await readTaskFile(listFolder, taskId);
  // Its owner and status may be changed by others; the run's mark is the worker's own.
  if (file.kind !== "task") return false;
  return hasMark(file.task, runId);
}

/** Whether the task has the mark of this run, as `list/task-marks.ts` writes it. */
export function hasMark({ metadata }: Pick<ClaudeCodeTask, "metadata">, runId: string): boolean {
  const saga = metadata?.["saga"];
  return typeof saga === "object" && saga !== null && Reflect.get(saga, "run") === runId;
}

/** Updates the checkout of a branch that was merged at the remote, if that is allowed. The task is merged either way. */
async function followMerge(
  { repository, settings, onWarning }: LandingContext,
  { lane, updateCheckouts = settings.delivery.updateCheckout }: Entry,
  commit: string,
): Promise<void> {
  if (lane.place === "here" || !updateCheckouts) return;
  try {
    const step = { branch: lane.branch, to: commit, own: [] };
    const why = await followRemote(repository, { ...step, ...(onWarning && { onWarning }) });
    if (why !== undefined) onWarning?.(why);
  } catch (error) {
    onWarning?.(`The checkout of ${lane.branch} was not updated: ${messageOf(error)}`);
  }
}

function landingWork(context: LandingContext, entry: Entry, work: TaskWork): LandingWork {
  const { repository, settings, env, now, store } = context;
  const { git } = repository;
  const redact = redactorFor(env, store.project, settings.worktree.copy);
  let receipts: readonly Receipt[] = [];
  return {
    entry,
    branch: work.branch,
    tip: work.tip,
    start: work.start,
    style: "rebase",
    checks: work.checks,
    landsAlone: false,
    updateCheckouts: entry.updateCheckouts ?? settings.delivery.updateCheckout,
    async judge({ commit, onto }) {
      const diff = await runDiffGate({
        git,
        from: onto,
        to: commit,
        tree: await codeTree(git, commit),
        // A task has no folder below `.saga/stories`.
        storyId: "",
        writeFiles: undefined,
        settings: settings.gate,
        now,
      });
      receipts = [withoutSecrets(diff, redact)];
      const reason = whyNotPassed(receipts);
      return reason === undefined ? undefined : { commit, reason, receipts, before: [] };
    },
    async whyNot(checks) {
      const own = checks.filter(({ command = "" }) => work.checks.includes(command));
      receipts = [
        ...receipts.filter(({ gate }) => gate === "diff"),
        ...own.map((one) => withoutSecrets(one, redact)),
      ];
      return whyNotPassed(checks);
    },
    isStillWanted: () => isWaiting(work),
    async landed(commit) {
      await followMerge(context, entry, commit);
      return { kind: "merged", commit, was: work.start, receipts } satisfies LandedTask;
    },
    conflicts: async (conflict) => ({ ...conflict, kind: "conflict" }) satisfies LandedTask,
    refused: async ({ commit, reason, receipts: found }: Refused) =>
      ({
        kind: "refused",
        commit,
        reason,
        receipts: found.map((one) => withoutSecrets(one, redact)),
      }) satisfies LandedTask,
    checkedOut: async (busy) => ({ ...busy, kind: "checked-out" }) satisfies LandedTask,
    moved: async (why) => ({ kind: "moved", rounds: 0, why }) satisfies LandedTask,
    release: async () => undefined,
  };
}
