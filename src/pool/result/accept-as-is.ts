// Accepts a task without changes, or one that is already in the target: the target itself has to pass the checks that a
// change would have to pass.

import { judgeCommit, whyNotPassed } from "../../gate/story-gate.ts";
import { readTarget } from "../../repo/delivery/target.ts";
import { refusedText } from "../../story/plan/fix-task.ts";
import { withoutSecrets, type Receipt } from "../../story/receipts/receipt.ts";
import { gateOf, type TaskGateResult } from "./gate.ts";
import type { PreparedTaskWork } from "../task/context.ts";

export async function acceptAsIs(work: PreparedTaskWork): Promise<TaskGateResult> {
  const { worker, target, record } = work;
  const { repository, stop } = worker;
  const gate = gateOf(work);
  if (gate.story.checks.length === 0) return { kind: "as-is" };
  const commit = await readTarget(repository, target, stop);
  const judged = await judgeCommit(gate, commit);
  const receipts = judged.map((one): Receipt => withoutSecrets(one, record.redact));
  for (const receipt of receipts) record.note({ type: "gate", ...receipt });
  const why = whyNotPassed(receipts);
  if (why === undefined) return { kind: "as-is" };
  const heading = `You reported no changes, but ${target.branch} does not pass the checks. In a clean checkout of it:`;
  return { kind: "refused", why, agentText: [heading, refusedText(receipts) || why].join("\n\n") };
}
