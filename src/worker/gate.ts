// Step 7: whether the story's work counts. What is refused becomes a task for the agent, which sees why;
// what passes is written down, and only then is the story completed.

import { judgeStory, whyNotPassed } from "../gate/story-gate.ts";
import { codeTree } from "../repo/code-tree.ts";
import { commitRest } from "../repo/commits.ts";
import { commitOf } from "../repo/refs.ts";
import { storyStart } from "../repo/story-start.ts";
import { SagaError } from "../errors.ts";
import { mendTask } from "../story/mend.ts";
import { RUN_MARK } from "../story/names.ts";
import { withoutSecrets, type Receipt } from "../story/receipt.ts";
import { receiptEntry, receiptsFor } from "../story/receipt-text.ts";
import { standingOf } from "../story/standing.ts";
import { readReceipts } from "../store/receipts.ts";
import { newBoard } from "./board.ts";
import { holdDefinition } from "./definition.ts";
import { inspect } from "./inspect.ts";
import type { PlacedWork } from "./work.ts";

export interface GateResult {
  readonly receipts: readonly Receipt[];
  /** A sentence, when it was not passed. */
  readonly refusal: string | undefined;
}

export async function passGate(work: PlacedWork): Promise<GateResult> {
  const { repository, git, base, story, board, settings, around, record } = work;
  const { store, env, now, stop } = around;
  const { storyId } = work.order;
  const commit = await requireCommit(work);
  const proven = await provenBefore(work, await codeTree(git, commit));
  if (proven !== undefined) return { receipts: proven, refusal: undefined };
  const from = await storyStart(git, { base, tip: commit });
  const range = { from, commit };
  const { needsTesting, needsReview } = story.story;
  const judged = await judgeStory(
    {
      repository,
      story: story.story,
      tasks: board.tasks(),
      settings,
      env,
      now,
      stop,
      // Known by it to the next worker, should this one be killed.
      variables: { [RUN_MARK]: record.run().id },
      ...((needsTesting || needsReview) && {
        inspect: (folder: string) => inspect(work, range, folder),
      }),
    },
    range,
  );
  // The agent's next task quotes what a check has printed, and that is committed.
  const receipts = judged.map((receipt) => withoutSecrets(receipt, record.redact));
  for (const receipt of receipts) record.note({ type: "gate", ...receipt }, { isDurable: true });
  const refusal = whyNotPassed(receipts);
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
  { around, order, story, record }: PlacedWork,
  tree: string,
): Promise<readonly Receipt[] | undefined> {
  if (story.story.status !== "completed") return undefined;
  const { receipts, warnings } = await readReceipts(around, order.storyId);
  for (const sentence of warnings) record.warn(sentence);
  const held = receiptsFor(receipts, tree);
  const { missing, objections } = standingOf(held, story.story);
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
export async function withMending(
  work: PlacedWork,
  receipts: readonly Receipt[],
): Promise<PlacedWork | undefined> {
  const { store } = work.around;
  const { storyId } = work.order;
  const task = mendTask(receipts, new Set(work.board.tasks().map(({ id }) => id)));
  if (task === undefined) return undefined;
  await store.addTask(storyId, { ...task });
  work.record.note({ type: "task.added", task: task.id, subject: task.subject });
  const story = await store.readStory(storyId);
  const board = newBoard(story.tasks);
  return { ...work, story, board, definition: holdDefinition(story, board) };
}
