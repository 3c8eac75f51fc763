// Merges finished work into the target: commits it, rebases it onto the current target, runs the gate there in a clean
// checkout, and moves the target to exactly what was judged, or not at all.

import { runDiffGate } from "../../gate/diff-gate.ts";
import { judgeChecks, whyNotPassed } from "../../gate/story-gate.ts";
import { codeTree } from "../../repo/code-tree.ts";
import { conflictText } from "../../repo/delivery/describe-conflict.ts";
import { deliver, type DeliveryResult, type Verification } from "../../repo/delivery/deliver.ts";
import {
  commitPoolWork,
  commitOfTask,
  type CommittedWork,
} from "../../repo/commits/pool-commit.ts";
import { prepareConflict } from "../../repo/delivery/resolve-conflict.ts";
import { MERGE_LEASE } from "../../store/leases/lease-names.ts";
import { waitForLease } from "../../store/leases/wait-for-lease.ts";
import { refusedText } from "../../story/plan/fix-task.ts";
import { withoutSecrets, type Receipt } from "../../story/receipts/receipt.ts";
import { acceptAsIs } from "./accept-as-is.ts";
import { checksOf, isProof, sealedReceipts } from "./arrival.ts";
import { gateOf, type TaskGateResult } from "./gate.ts";
import type { PreparedTaskWork } from "../task/context.ts";

/** Another worker's merge runs checks and may take long. */
export const MERGE_TURN = { patienceMs: 2 * 3600_000, pollMs: 100 };

export async function accept(work: PreparedTaskWork): Promise<TaskGateResult> {
  const { worker, task } = work;
  const { git, base, exclude } = work;
  const place = { git, storyId: worker.name, start: base.commit, exclude };
  const taskIds = { ...idsOf(work), subject: task.subject };
  const committed = await commitPoolWork(place, taskIds);
  if (committed.kind !== "committed") return notCommitted(committed);
  const turn = await waitForLease(worker.store.leases, MERGE_LEASE, {
    ...MERGE_TURN,
    owner: worker.name,
    stop: worker.stop,
  });
  if (turn.kind === "stopped") return turn;
  if (turn.kind === "held")
    return { kind: "moved", why: `Cannot merge: ${turn.by.owner} has been merging for hours.` };
  try {
    return await gateResultOf(work, await deliverInTurn(work, committed.commit));
  } finally {
    await turn.lease.release();
  }
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

function deliverInTurn(work: PreparedTaskWork, tip: string): Promise<DeliveryResult> {
  const { worker, target, branch, record, base } = work;
  return deliver({
    repository: worker.repository,
    branch,
    tip,
    target,
    start: base.commit,
    style: "rebase",
    updateCheckouts: worker.updateCheckouts,
    stop: worker.stop,
    onWarning: record.warn,
    verify: (folder, commit, { onto }) => verify(work, { folder, commit, onto }),
  });
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
  if (own === undefined || !(await isProven(work, commit))) {
    const checked = await acceptAsIs(work);
    if (checked.kind !== "as-is" || own === undefined) return checked;
  }
  record.note({ type: "task.committed", task: task.id, commit }, { isDurable: true });
  return { kind: "merged", commit };
}

async function isProven(
  { worker, record, task }: PreparedTaskWork,
  commit: string,
): Promise<boolean> {
  const receipts = await sealedReceipts(worker, { worker: worker.name, runId: record.run().id });
  const tree = await codeTree(worker.repository.git, commit);
  return isProof(receipts, { tree, checks: checksOf(worker, task) });
}

const ON_TOP =
  "Your work was rebased onto its target, and the gate refused it. In a clean checkout:";

interface Candidate {
  readonly folder: string;
  readonly commit: string;
  readonly onto: string;
}

async function verify(
  work: PreparedTaskWork,
  { folder, commit, onto }: Candidate,
): Promise<Verification> {
  const { worker, record } = work;
  const gate = gateOf(work);
  const { git } = worker.repository;
  const diff = await runDiffGate({
    git,
    from: onto,
    to: commit,
    tree: await codeTree(git, commit),
    // A task has no folder below `.saga/stories`.
    storyId: "",
    writeFiles: undefined,
    settings: worker.settings.gate,
    now: worker.now,
  });
  const checked = diff.isPassed ? await judgeChecks(gate, { commit }, folder) : [];
  const receipts = [diff, ...checked].map((one): Receipt => withoutSecrets(one, record.redact));
  // Written before the target moves: if this worker is killed, they prove the merge.
  for (const receipt of receipts) record.note({ type: "gate", ...receipt }, { isDurable: true });
  // The last chance to notice that another worker has the task now: it must not be merged twice.
  await work.checkClaim();
  const reason = whyNotPassed(receipts);
  return reason === undefined ? { isPassed: true } : { isPassed: false, reason, receipts };
}
