// `saga split`: splits a task as a worker would, for a story that is not running.

import { messageOf, SagaError } from "../../errors.ts";
import { closeRuns, endProcessesOf, unfinished } from "../../store/runs/run-processes.ts";
import type { RunOutcome } from "../../story/state/state.ts";
import { fenceOwner } from "../../repo/sharing/lease-ref.ts";
import { leaseStory } from "../steps/lease.ts";
import { storyInUse } from "../../store/leases/in-use.ts";
import { renewLease } from "../../store/leases/renew-lease.ts";
import { commitCompletedTasks } from "../commit-completed-tasks.ts";
import { recoverCompletions } from "../steps/hydrate.ts";
import { prepareWork } from "../steps/prepare-worktree.ts";
import {
  splitInWorktree,
  splitInProject,
  type SplitOutcome,
  type SplitTaskRequest,
} from "./split-task.ts";
import { openQuestion, splitAnswer } from "./split-journal.ts";
import type { WorkerContext, Work, WorkRequest } from "../context.ts";
import { startRecord } from "../steps/run-record.ts";

export async function splitByHand(
  request: WorkRequest,
  context: WorkerContext,
  split: SplitTaskRequest,
): Promise<SplitOutcome> {
  const { store } = context;
  const { storyId } = request;
  const { lease, heldBy: holder } = await leaseStory(store, storyId, "saga split");
  if (!lease) throw storyInUse(storyId, holder.owner);
  const lost = new AbortController();
  let endRenewal = (): void => undefined;
  try {
    const earlierRuns = await store.listRuns(storyId);
    const owner = fenceOwner(storyId, lease);
    const record = await startRecord(request, context, owner);
    const isTakenOver = (): boolean => lost.signal.aborted;
    const stop = AbortSignal.any([context.stop, lost.signal]);
    const work: Work = {
      request,
      context: { ...context, stop },
      record,
      isTakenOver,
      owner,
      giveUp: () => lost.abort(),
    };
    const end = (outcome: RunOutcome, reason: string, isAside: boolean): void =>
      record.update({
        endedAt: new Date(context.now()).toISOString(),
        outcome,
        reason,
        ...(isAside && { isAside }),
      });
    try {
      endRenewal = renewLease(lease, {
        onLost: () => lost.abort(),
        onError: (error) =>
          record.warn(`The lock on the story could not be renewed: ${messageOf(error)}`),
      });
      const result = await splitStory(work, earlierRuns, split);
      // After a split the story has new work, and this run is its last one; else its state stays as it was.
      const isSplit = result.kind === "split";
      end(isSplit ? "done" : "stopped", reasonOf(split.task, result), !isSplit);
      return result;
    } catch (error) {
      end("failed", messageOf(error), true);
      throw error;
    } finally {
      record.close();
    }
  } finally {
    endRenewal();
    await lease.release();
  }
}

type Runs = Parameters<typeof unfinished>[0];

async function splitStory(
  work: Work,
  earlierRuns: Runs,
  split: SplitTaskRequest,
): Promise<SplitOutcome> {
  const { store } = work.context;
  const { storyId } = work.request;
  const killedRuns = unfinished(earlierRuns);
  await endProcessesOf(killedRuns);
  const { source } = await store.readStory(storyId);
  if (source === "archive") {
    throw new SagaError("not-ready", `Cannot split a task of ${storyId}: the story is archived.`, {
      hint: "Archived stories cannot be changed. Create a new story for the remaining work.",
    });
  }
  const result = source === "worktree" ? await inWorktree() : await splitInProject(work, split);
  if (result.kind === "split") await answerQuestion(work, split.task, result.into);
  return result;

  /** What a killed worker left unfinished comes first. */
  async function inWorktree(): Promise<SplitOutcome> {
    const prepared = await prepareWork(work);
    await recoverCompletions(prepared, earlierRuns);
    await commitCompletedTasks(prepared);
    await closeRuns(work.context.store, killedRuns, work.context.now());
    return splitInWorktree(prepared, split);
  }
}

/** A worker may have asked a person to split this task. */
async function answerQuestion(
  { context, request }: Work,
  task: string,
  into: readonly string[],
): Promise<void> {
  const journal = await context.store.readJournal(request.storyId);
  const blocker = openQuestion(journal, task);
  if (blocker === undefined) return;
  const at = new Date(context.now()).toISOString();
  await context.store.appendJournal(request.storyId, { at, ...splitAnswer(blocker, into) });
}

const reasonOf = (task: string, result: SplitOutcome): string =>
  result.kind === "split"
    ? `${task} was split into ${result.into.join(", ")}.`
    : `${task} was not split.`;
