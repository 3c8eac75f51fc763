// `saga split`: what a worker does with a task that is too large, for a story that has no worker.

import { messageOf, SagaError } from "../../errors.ts";
import { closeRuns, endLeftovers, unfinished } from "../../store/runs/run-processes.ts";
import type { RunOutcome } from "../../story/state/state.ts";
import { claimStory, keepClaim } from "../steps/claim.ts";
import { commitCompleted } from "../commit-completed.ts";
import { recoverCompletions } from "../steps/hydrate.ts";
import { placeWork } from "../steps/place.ts";
import { resplit, splitInProject, type Resplit, type SplitOrder } from "./resplit.ts";
import { openQuestion, splitAnswer } from "./split-journal.ts";
import type { WorkerContext, Work, WorkOrder } from "../work.ts";
import { heldBy, startRecord } from "../worker.ts";

export async function splitByHand(
  order: WorkOrder,
  around: WorkerContext,
  split: SplitOrder,
): Promise<Resplit> {
  const { store } = around;
  const { storyId } = order;
  const { lease, heldBy: holder } = await claimStory(store, storyId, "saga split");
  if (!lease) throw heldBy(storyId, holder);
  const lost = new AbortController();
  let endClaim = (): void => undefined;
  try {
    const earlier = await store.listRuns(storyId);
    const settings = await store.settings();
    const record = await startRecord(order, around, settings);
    const isTakenOver = (): boolean => lost.signal.aborted;
    const stop = AbortSignal.any([around.stop, lost.signal]);
    const work: Work = { order, around: { ...around, stop }, settings, record, isTakenOver };
    const end = (outcome: RunOutcome, reason: string, isAside: boolean): void =>
      record.update({
        endedAt: new Date(around.now()).toISOString(),
        outcome,
        reason,
        ...(isAside && { isAside }),
      });
    try {
      endClaim = keepClaim(lease, {
        onLost: () => lost.abort(),
        onFault: (error) => record.warn(`The claim could not be renewed: ${messageOf(error)}`),
      });
      const done = await splitIn(work, earlier, split);
      // Split, the story has new work that nobody has taken up; else it stands as it did.
      const isSplit = done.kind === "split";
      end(isSplit ? "done" : "stopped", reasonOf(split.task, done), !isSplit);
      return done;
    } catch (error) {
      end("failed", messageOf(error), true);
      throw error;
    } finally {
      record.close();
    }
  } finally {
    endClaim();
    lease.release();
  }
}

type Runs = Parameters<typeof unfinished>[0];

async function splitIn(work: Work, earlier: Runs, split: SplitOrder): Promise<Resplit> {
  const { store } = work.around;
  const { storyId } = work.order;
  const killed = unfinished(earlier);
  await endLeftovers(killed);
  const { source } = await store.readStory(storyId);
  if (source === "archive") {
    throw new SagaError("not-ready", `The story ${storyId} is in the archive.`, {
      hint: "What is archived is finished.",
    });
  }
  const done = source === "worktree" ? await inWorktree() : await splitInProject(work, split);
  if (done.kind === "split") await answerQuestion(work, split.task, done.into);
  return done;

  /** First, what a worker that was killed left half done. */
  async function inWorktree(): Promise<Resplit> {
    const placed = await placeWork(work);
    await recoverCompletions(placed, earlier);
    await commitCompleted(placed);
    await closeRuns(work.around.store, killed, work.around.now());
    return resplit(placed, split);
  }
}

/** A worker may have asked just this. */
async function answerQuestion(
  { around, order }: Work,
  task: string,
  into: readonly string[],
): Promise<void> {
  const journal = await around.store.readJournal(order.storyId);
  const blocker = openQuestion(journal, task);
  if (blocker === undefined) return;
  const at = new Date(around.now()).toISOString();
  await around.store.appendJournal(order.storyId, { at, ...splitAnswer(blocker, into) });
}

const reasonOf = (task: string, done: Resplit): string =>
  done.kind === "split"
    ? `${task} was split into ${done.into.join(", ")}.`
    : `${task} was not split.`;
