// Merges finished work into the target: commits it, puts it in the target's lane, and waits until it has landed.

import { requireOutcome } from "../../landing/failure.ts";
import { landInLane } from "../../landing/wait.ts";
import { conflictText } from "../../repo/compose/describe-conflict.ts";
import type { DeliveryResult } from "../../repo/delivery/land.ts";
import {
  commitPoolWork,
  commitOfTask,
  type CommittedWork,
} from "../../repo/commits/pool-commit.ts";
import { prepareConflict } from "../../repo/delivery/resolve-conflict.ts";
import { isLanding } from "../../store/runs/tree-receipts.ts";
import { refusedText } from "../../story/plan/fix-task.ts";
import { acceptAsIs } from "./accept-as-is.ts";
import { checksOf } from "./merged-task.ts";
import type { TaskGateResult } from "./gate.ts";
import { taskEntry, type LandedTask } from "./land-task.ts";
import type { PreparedTaskWork } from "../task/context.ts";

export async function accept(work: PreparedTaskWork): Promise<TaskGateResult> {
  const { worker, task } = work;
  const { git, base, exclude } = work;
  const place = { git, storyId: worker.name, start: base.commit, exclude };
  const taskIds = { ...idsOf(work), subject: task.subject };
  const committed = await commitPoolWork(place, taskIds);
  if (committed.kind !== "committed") return notCommitted(committed);
  await work.checkClaim();
  return gateResultOf(work, await landTask(work, committed.commit));
}

function notCommitted(committed: Exclude<CommittedWork, { kind: "committed" }>): TaskGateResult {
  if (committed.kind === "add-failed") {
    const why = `Not everything can be committed: ${committed.why}.`;
    return { kind: "refused", why, agentText: why };
  }
  const why = "No file has changed since the work started.";
  return { kind: "refused", why, agentText: why };
}

const idsOf = ({ worker, task, record }: PreparedTaskWork): { id: string; runId: string } => ({
  id: `${worker.list}/${task.id}`,
  runId: record.run().id,
});

/** Waits until the commit has landed, with whatever else is in the lane. */
async function landTask(work: PreparedTaskWork, tip: string): Promise<LandedTask> {
  const { worker, task, target, branch, record, base } = work;
  const { listFolder, updateCheckouts } = worker;
  const { runId } = idsOf(work);
  const landed = await landInLane(
    { ...worker, onWarning: record.warn },
    {
      kind: "task",
      name: `${worker.name}/${task.id}`,
      lane: target,
      priority: task.priority,
      by: worker.name,
      after: [],
      checks: checksOf(worker, task),
      updateCheckouts,
      work: taskEntry({
        branch,
        tip,
        start: base.commit,
        checks: checksOf(worker, task),
        listFolder,
        taskId: task.id,
        runId,
      }),
    },
  );
  if (landed.kind === "stopped") return landed;
  const result = requireOutcome(landed.value) as LandedTask;
  if (result.kind === "stopped") {
    // Not by this worker: the lander found that the task is no longer this worker's.
    await work.checkClaim();
    return { kind: "moved", rounds: 0, why: "The task was changed while it was being merged." };
  }
  for (const receipt of result.receipts ?? []) record.note({ type: "gate", ...receipt });
  return result;
}

async function gateResultOf(
  work: PreparedTaskWork,
  delivered: DeliveryResult,
): Promise<TaskGateResult> {
  const { worker, target, branch } = work;
  switch (delivered.kind) {
    case "merged":
      return mergedAs(work, delivered);
    case "refused": {
      const findings = refusedText(delivered.receipts) || delivered.reason;
      return { kind: "refused", why: delivered.reason, agentText: [ON_TOP, findings].join("\n\n") };
    }
    case "conflict": {
      const sides = conflictText(delivered, { branch, target: target.branch });
      const { git, exclude } = work;
      const place = { git, storyId: worker.name, target: target.branch, exclude };
      const prepared = await prepareConflict({ ...place, onto: delivered.onto });
      // The target moved again, and no conflict is left.
      if (prepared.kind === "none") return { kind: "moved", why: "The conflict no longer exists." };
      return { kind: "conflict", files: delivered.files.map(({ path }) => path), sides };
    }
    case "checked-out":
    case "moved":
    case "stopped":
      return delivered;
  }
}

/**
 * A task is completed by its own commit that passed the gate. If the target already has the same content through other
 * commits, no commit of the task was merged: then the target has to pass the checks, as for a task without changes.
 */
async function mergedAs(
  work: PreparedTaskWork,
  { commit }: Extract<DeliveryResult, { kind: "merged" }>,
): Promise<TaskGateResult> {
  const { worker, record, task } = work;
  const { git } = worker.repository;
  const own = await commitOfTask(git, `${work.base.commit}..${commit}`, idsOf(work));
  const isProven = isLanding({ project: worker.store.project, env: worker.env }, commit);
  if (own === undefined || !isProven) {
    const checked = await acceptAsIs(work);
    if (checked.kind !== "as-is" || own === undefined) return checked;
  }
  record.note({ type: "task.committed", task: task.id, commit }, { isDurable: true });
  return { kind: "merged", commit };
}

const ON_TOP =
  "Your work was rebased onto its target, and the gate refused it. In a clean checkout:";
