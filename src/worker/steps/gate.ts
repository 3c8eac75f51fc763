// Step 7: whether the story's work counts. What is refused becomes a task for the agent, which sees why;
// what passes is written down, and only then is the story completed.

import { judgeStory, whyNotPassed } from "../../gate/story-gate.ts";
import { codeTree } from "../../repo/code-tree.ts";
import { commitRest } from "../../repo/commits/commits.ts";
import { commitOf } from "../../repo/refs.ts";
import { storyStart } from "../../repo/story-start.ts";
import { SagaError } from "../../errors.ts";
import { fixTask } from "../../story/plan/fix-task.ts";
import { RUN_MARK } from "../../story/definition/names.ts";
import { withoutSecrets, type Receipt } from "../../story/receipts/receipt.ts";
import { receiptEntry } from "../../story/receipts/receipt-text.ts";
import { receiptsFor } from "../../story/receipts/latest-receipts.ts";
import { standingOf, type Requirements } from "../../story/receipts/merge-readiness.ts";
import type { Story } from "../../story/definition/story.ts";
import { taskSchema } from "../../story/definition/task.ts";
import { weakenedSince } from "../../story/receipts/weakened-definition.ts";
import { readReceipts } from "../../store/runs/receipts.ts";
import type { Clock } from "../agent/clock.ts";
import { beganAs, gateFacts } from "../gate-facts.ts";
import { inspect } from "./inspect.ts";
import { mended } from "../restore-guarded-files.ts";
import type { PlacedWork } from "../work.ts";

export interface GateResult {
  readonly receipts: readonly Receipt[];
  /** A sentence, when it was not passed. */
  readonly refusal: string | undefined;
}

export async function passGate(work: PlacedWork, clock: Clock): Promise<GateResult> {
  const { repository, git, base, definition, board, settings, around, record } = work;
  const { store, env, now, stop } = around;
  const { storyId } = work.order;
  mended(work);
  const story = definition.story();
  const commit = await requireCommit(work);
  const range = { from: await storyStart(git, { base, tip: commit }), commit };
  const began = await beganAs(work, range);
  const weakened = weakenedSince(began, { story, tasks: board.tasks() });
  const tree = await codeTree(git, commit);
  const proven = await provenBefore(work, tree, { ...story, weakened });
  if (proven !== undefined) return { receipts: proven, refusal: undefined };
  const { needsTesting, needsReview } = story;
  const judged = await judgeStory(
    {
      repository,
      story,
      tasks: board.tasks(),
      initial: began,
      weakened,
      settings,
      env,
      now,
      stop,
      // Known by it to the next worker, should this one be killed.
      variables: { [RUN_MARK]: record.run().id },
      ...((needsTesting || needsReview) && {
        inspect: (folder: string) => inspect(work, clock, { range, folder }),
      }),
    },
    range,
  );
  // The agent's next task quotes what a check has printed, and that is committed.
  const receipts = judged.map((receipt) => withoutSecrets(receipt, record.redact));
  for (const receipt of receipts) record.note({ type: "gate", ...receipt }, { isDurable: true });
  const refusal = whyNotPassed(receipts);
  // What checks run is the agent's code too.
  mended(work);
  await store.appendJournal(storyId, {
    kind: "receipt",
    at: new Date(now()).toISOString(),
    ...receiptEntry([...(await taskReceipts(work)), ...receipts]),
  });
  if (refusal === undefined) {
    await store.updateStory(storyId, (fields) => ({ ...fields, status: "completed" }));
  }
  await commitRest({ git, storyId, exclude: work.exclude });
  return { receipts, refusal };
}

/** What the checks of its tasks have said, the newest of each. */
async function taskReceipts({ around, order }: PlacedWork): Promise<readonly Receipt[]> {
  const { receipts } = await readReceipts(around, order.storyId);
  const ofTasks = receipts.filter(({ task }) => task !== undefined);
  return [...new Map(ofTasks.map((one) => [`${one.task}\n${one.command}`, one])).values()];
}

/**
 * What an earlier run has proven for this very code, or a person has accepted of it, when that is all
 * there is to prove. The runs' own records count: the journal lies where the agent may write.
 */
async function provenBefore(
  { around, order, record }: PlacedWork,
  tree: string,
  required: Requirements & Pick<Story, "status">,
): Promise<readonly Receipt[] | undefined> {
  if (required.status !== "completed") return undefined;
  const { receipts, warnings } = await readReceipts(around, order.storyId);
  for (const sentence of warnings) record.warn(sentence);
  const held = receiptsFor(receipts, tree);
  const { missing, objections } = standingOf(held, required);
  return missing.length === 0 && objections.length === 0 ? held : undefined;
}

async function requireCommit({ git, branch }: PlacedWork): Promise<string> {
  const commit = await commitOf(git, `refs/heads/${branch}`);
  if (commit !== undefined) return commit;
  throw new SagaError("not-found", `The branch ${branch} is gone.`, {
    hint: "It was deleted by hand; its commits may still be found with `git reflog`.",
  });
}

/** The same work with one more task: what the gate refuses. Nothing when an agent cannot mend it. */
export async function withFixTask(
  work: PlacedWork,
  receipts: readonly Receipt[],
): Promise<PlacedWork | undefined> {
  const { board, definition, record, around, order } = work;
  const taken = new Set(board.tasks().map(({ id }) => id));
  const task = fixTask(receipts, taken, await gateFacts(work));
  if (task === undefined) return undefined;
  const fields = await around.store.addTask(order.storyId, { ...task });
  record.note({ type: "task.added", task: task.id, subject: task.subject });
  // Not read again: what is held is what people gave, and what Saga itself has added.
  board.replace([...board.tasks(), taskSchema.parse(fields)]);
  definition.learnTasks(new Map([[task.id, fields]]));
  return work;
}
