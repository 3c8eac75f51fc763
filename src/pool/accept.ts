// Brings what an agent has handed in into the target: committed, put on top of the target as it is now,
// judged there in a clean checkout, and the target moved to exactly what was judged, or not at all.

import { runDiffGate } from "../gate/diff-gate.ts";
import { judgeChecks, whyNotPassed, type GateWork } from "../gate/story-gate.ts";
import { codeTree } from "../repo/code-tree.ts";
import { conflictText } from "../repo/conflict.ts";
import { deliver, type Delivered, type Verified } from "../repo/deliver.ts";
import { commitHandedIn, type CommittedWork } from "../repo/handed-in.ts";
import { prepareConflict } from "../repo/resolve.ts";
import { MERGE_LEASE } from "../store/lease-names.ts";
import { waitForLease } from "../store/wait-for-lease.ts";
import { refusedText } from "../story/mend.ts";
import { RUN_MARK } from "../story/names.ts";
import { withoutSecrets, type Receipt } from "../story/receipt.ts";
import type { PlacedTask } from "./task-work.ts";

export type Accepted =
  | { readonly kind: "merged"; readonly commit: string }
  /** Nothing has to be changed, and the target passes the checks. */
  | { readonly kind: "as-is" }
  /** The gate does not let it pass; what the agent is told. */
  | { readonly kind: "refused"; readonly why: string; readonly told: string }
  /** The merge is begun in the worktree; both sides are named. */
  | { readonly kind: "conflict"; readonly files: readonly string[]; readonly sides: string }
  /** Others were faster, time after time. */
  | { readonly kind: "moved"; readonly why: string }
  /** Someone works in a checkout of the target. */
  | { readonly kind: "checked-out"; readonly folder: string; readonly why: string }
  | { readonly kind: "stopped" };

/** A merge runs checks; the one before may take its time. */
export const MERGE_TURN = { patienceMs: 2 * 3600_000, pollMs: 100 };

export async function accept(work: PlacedTask): Promise<Accepted> {
  const { worker, task, record } = work;
  const { git, base, exclude } = work;
  const place = { git, storyId: worker.name, start: base.commit, exclude };
  const id = `${worker.list}/${task.id}`;
  const handedIn = { id, subject: task.subject, runId: record.run().id };
  const committed = await commitHandedIn(place, handedIn);
  if (committed.kind !== "committed") return notCommitted(committed);
  const turn = await waitForLease(worker.store.leases, MERGE_LEASE, {
    ...MERGE_TURN,
    owner: worker.name,
    stop: worker.stop,
  });
  if (turn.kind === "stopped") return turn;
  if (turn.kind === "held") return { kind: "moved", why: `${turn.by.owner} is merging for hours.` };
  try {
    return await acceptedAs(work, await deliverInTurn(work));
  } finally {
    turn.lease.release();
  }
}

function notCommitted(committed: Exclude<CommittedWork, { kind: "committed" }>): Accepted {
  if (committed.kind === "missed") {
    const why = `Not everything can be committed: ${committed.why}.`;
    return { kind: "refused", why, told: why };
  }
  const why = "No file is different from when the work began.";
  return { kind: "refused", why, told: why };
}

function deliverInTurn(work: PlacedTask): Promise<Delivered> {
  const { worker, target, branch, record, base } = work;
  return deliver({
    repository: worker.repository,
    branch,
    target,
    start: base.commit,
    style: "rebase",
    updateCheckouts: worker.updateCheckouts,
    stop: worker.stop,
    onWarning: record.warn,
    verify: (folder, commit, { onto }) => verify(work, { folder, commit, onto }),
  });
}

async function acceptedAs(work: PlacedTask, delivered: Delivered): Promise<Accepted> {
  const { worker, target, branch } = work;
  switch (delivered.kind) {
    case "merged": {
      const { commit } = delivered;
      work.record.note({ type: "task.committed", task: work.task.id, commit }, { isDurable: true });
      return { kind: "merged", commit };
    }
    case "refused": {
      const told = refusedText(delivered.receipts) || delivered.reason;
      return { kind: "refused", why: delivered.reason, told: [ON_TOP, told].join("\n\n") };
    }
    case "conflict": {
      const sides = conflictText(delivered, { branch, target: target.branch });
      const { git, exclude } = work;
      const place = { git, storyId: worker.name, target: target.branch, exclude };
      const prepared = await prepareConflict({ ...place, onto: delivered.onto });
      // The target has moved on in a way that leaves nothing to resolve.
      if (prepared.kind === "none") return { kind: "moved", why: "The conflict is gone." };
      return { kind: "conflict", files: delivered.files.map(({ path }) => path), sides };
    }
    case "checked-out":
    case "moved":
    case "stopped":
      return delivered;
  }
}

const ON_TOP =
  "Your work was put on top of what it is to be merged into, and is not accepted. In a clean checkout:";

interface Candidate {
  readonly folder: string;
  readonly commit: string;
  readonly onto: string;
}

async function verify(work: PlacedTask, { folder, commit, onto }: Candidate): Promise<Verified> {
  const { worker, record } = work;
  const gate = gateOf(work);
  const { git } = worker.repository;
  const diff = await runDiffGate({
    git,
    from: onto,
    to: commit,
    tree: await codeTree(git, commit),
    // No folder below `.saga/stories` is a task's own.
    storyId: "",
    writeFiles: undefined,
    settings: worker.settings.gate,
    now: worker.now,
  });
  const checked = diff.isPassed ? await judgeChecks(gate, { commit }, folder) : [];
  const receipts = [diff, ...checked].map((one): Receipt => withoutSecrets(one, record.redact));
  for (const receipt of receipts) record.note({ type: "gate", ...receipt });
  // The last moment: what someone else is doing now must not arrive twice.
  await work.lookAtClaim();
  const reason = whyNotPassed(receipts);
  return reason === undefined ? { isPassed: true } : { isPassed: false, reason, receipts };
}

export const gateOf = ({ worker, task, record }: PlacedTask): GateWork => ({
  repository: worker.repository,
  story: { id: worker.name, checks: checksOf(worker, task), writeFiles: [] },
  tasks: [],
  settings: worker.settings,
  env: worker.env,
  now: worker.now,
  stop: worker.stop,
  variables: { [RUN_MARK]: record.run().id },
});

/** The pool's own first, then the task's. */
export const checksOf = (
  { settings }: PlacedTask["worker"],
  { checks }: Pick<PlacedTask["task"], "checks">,
): string[] => [...new Set([...settings.auto.checks, ...checks])];
