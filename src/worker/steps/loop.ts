// Step 5: headless runs until all tasks are completed, a question is open, or a limit is reached.
//
//   a run ends well, tasks left       the next cycle; two cycles without progress end it
//   a run crashes                     the story has failed, at once: no blind retries
//   a usage limit, an overload        wait for the reset, and go on in the same conversation
//   it cannot work like this          one sentence, and no loop
//   it got nowhere, or grew too large  its task is split, and the work goes on with a new list

import { STOPPED, type Clock, type LoopEnd } from "../agent/clock.ts";
import { isForgotten } from "../../claude/outcome.ts";
import { hydrate, type Lists } from "./hydrate.ts";
import { settleList } from "./reconcile.ts";
import { askHowToSplit, resplit, type SplitOrder } from "../split/resplit.ts";
import { reworkedConversation } from "./rework.ts";
import { runAgent } from "../agent/run-agent.ts";
import { usd } from "../../text/usd.ts";
import { isWantedWhole } from "../split/split-journal.ts";
import type { Stuck } from "../agent/watch-agent.ts";
import type { PlacedWork } from "../work.ts";

const MAX_IDLE_CYCLES = 2;

export async function loop(work: PlacedWork, lists: Lists, clock: Clock): Promise<LoopEnd> {
  const { order, around, board, record } = work;
  let resume = await reworkedConversation(work);
  let isRework = resume !== undefined;
  let idleCycles = 0;

  for (;;) {
    const over = await isOver();
    if (over) return over;
    const wall = await clock.untilWallIsGone();
    if (wall) return wall;

    const left = board.left().length;
    record.note({ type: "cycle.started", cycle: record.run().cycles + 1, tasksLeft: left });
    const deadlineMs = clock.deadlineMs();
    const run = await runAgent(work, { list: lists.current, resume, isRework, deadlineMs });
    const { outcome } = run.end;
    const resumed = resume;
    resume = undefined;
    isRework = false;
    // One that did not come to its turn is none.
    if (outcome.kind !== "limit") record.update({ cycles: record.run().cycles + 1 });

    if (run.isBlocked) return blocked();
    switch (outcome.kind) {
      case "ended":
        clock.hasPassed();
        idleCycles = board.left().length < left ? 0 : idleCycles + 1;
        if (board.isDone() || idleCycles < MAX_IDLE_CYCLES) break;
        return failed(`${idleCycles} cycles went by without one task completed.`);
      case "limit":
        clock.hitLimit(outcome);
        resume = run.end.conversation;
        break;
      case "over-budget":
        return outOfMoney();
      case "stopped": {
        if (around.stop.aborted || run.stuck === undefined) {
          return run.hasTimedOut ? outOfTime() : STOPPED;
        }
        const isSplit = await makeSmaller(run.stuck);
        if (typeof isSplit !== "boolean") return isSplit;
        idleCycles = isSplit || board.left().length < left ? 0 : idleCycles + 1;
        if (board.isDone() || idleCycles < MAX_IDLE_CYCLES) break;
        return failed(`${run.stuck.reason} It was not the first time.`);
      }
      case "refused":
        return failed(`${outcome.reason} ${outcome.hint}`);
      case "crashed":
        // The next one finds out from the list where it is.
        if (resumed !== undefined && isForgotten(outcome)) break;
        return failed(outcome.reason);
    }
  }

  /** Whether there are new tasks: a split that repeats an earlier one is no progress. The list is a new one. */
  async function makeSmaller({ task, reason }: Stuck): Promise<LoopEnd | boolean> {
    await settleList(work, lists.current);
    const journal = await around.store.readJournal(order.storyId);
    const isLeft = task !== undefined && board.left().some(({ id }) => id === task);
    const isDue = isLeft && !isWantedWhole(journal, task);
    const isSplit = isDue && (await split({ task, reason }));
    if (typeof isSplit !== "boolean") return isSplit;
    lists.current = await hydrate(work);
    return isSplit;
  }

  async function split(what: SplitOrder): Promise<LoopEnd | boolean> {
    for (;;) {
      const over = limitReached() ?? (await clock.untilWallIsGone());
      if (over) return over;
      const done = await resplit(work, what);
      switch (done.kind) {
        case "split":
          return done.changed.size > 0;
        case "limit":
          clock.hitLimit(done);
          break;
        case "stopped":
          return STOPPED;
        case "failed":
          await askHowToSplit(work, what, done.problems);
          return blocked();
      }
    }
  }

  async function isOver(): Promise<LoopEnd | undefined> {
    const { open } = await around.store.readJournal(order.storyId);
    if (open.length > 0) return blocked();
    if (board.isDone()) return { outcome: "done", reason: "All tasks are completed." };
    if (around.stop.aborted) return STOPPED;
    if (record.run().cycles >= order.maxCycles) {
      const reason = `Cycle limit reached (${order.maxCycles}).`;
      return { outcome: "limit", limit: "cycles", reason };
    }
    return limitReached();
  }

  function limitReached(): LoopEnd | undefined {
    if (around.now() >= clock.deadlineMs()) return outOfTime();
    const spent = record.run().costUsd;
    return spent >= (order.maxCostUsd ?? Infinity) ? outOfMoney() : undefined;
  }

  function outOfMoney(): LoopEnd {
    const reason = `Cost limit reached (${usd(order.maxCostUsd ?? 0)}).`;
    return { outcome: "limit", limit: "cost", reason };
  }

  function outOfTime(): LoopEnd {
    const reason = `Time limit reached (${order.maxMs / 60_000} min).`;
    return { outcome: "limit", limit: "time", reason };
  }
}

const failed = (reason: string): LoopEnd => ({ outcome: "failed", reason });
const blocked = (): LoopEnd => ({
  outcome: "blocked",
  reason: "A person has to answer a question first.",
});
