// Step 5: headless runs until all tasks are completed, a question is open, or a limit is reached.
//
//   a run ends well, tasks left       the next cycle; two cycles without progress end it
//   a run crashes                     the story has failed, at once: no blind retries
//   a usage limit, an overload        wait for the reset, and go on in the same conversation
//   it cannot work like this          one sentence, and no loop
//   it got nowhere, or grew too large  its task is split, and the work goes on with a new list

import { setTimeout as wait } from "node:timers/promises";
import { MAX_TIMER_MS } from "../claude/agent-time.ts";
import type { Outcome } from "../claude/outcome.ts";
import type { RunOutcome } from "../story/state.ts";
import { hydrate, type Lists } from "./hydrate.ts";
import { settleList } from "./reconcile.ts";
import { askHowToSplit, resplit, type SplitOrder } from "./resplit.ts";
import { runAgent } from "./run-agent.ts";
import { isWantedWhole } from "./split-journal.ts";
import { endOfLimit, readWall, rememberWall } from "../claude/wall.ts";
import type { Stuck } from "./watch-agent.ts";
import type { PlacedWork } from "./work.ts";

export interface LoopEnd {
  readonly outcome: RunOutcome;
  readonly reason: string;
}

/** However often the service has refused without saying for how long. */
const LONGEST_PAUSE_MS = 30 * 60_000;
const MAX_IDLE_CYCLES = 2;

export async function loop(work: PlacedWork, lists: Lists): Promise<LoopEnd> {
  const { order, around, board, record } = work;
  const clock = newClock(work);
  let resume = await reworkedConversation(work);
  let isRework = resume !== undefined;
  let idleCycles = 0;
  const firstPauseMs = work.settings.limits.pause * 1000;
  let pauseMs = firstPauseMs;

  for (let cycle = 1; ; cycle++) {
    const over = await isOver(cycle);
    if (over) return over;
    const wall = await clock.untilWallIsGone();
    if (wall) return wall;

    const left = board.left().length;
    record.note({ type: "cycle.started", cycle, tasksLeft: left });
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
        pauseMs = firstPauseMs;
        idleCycles = board.left().length < left ? 0 : idleCycles + 1;
        if (board.isDone() || idleCycles < MAX_IDLE_CYCLES) break;
        return failed(`${idleCycles} cycles went by without one task completed.`);
      case "limit":
        hitLimit(outcome);
        resume = run.end.conversation;
        cycle--;
        break;
      case "over-budget":
        return { outcome: "limit", reason: outcome.reason };
      case "stopped": {
        if (around.stop.aborted || run.stuck === undefined) {
          return run.hasTimedOut ? outOfTime() : stopped();
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
        // Nothing is lost but what was said: the next one finds out from the list where it is.
        if (resumed !== undefined && outcome.reason.includes("No conversation found")) break;
        return failed(outcome.reason);
    }
  }

  function hitLimit({ resetsAtMs, reason, family }: Extract<Outcome, { kind: "limit" }>): void {
    const untilMs = endOfLimit(resetsAtMs, { nowMs: around.now(), pauseMs });
    rememberWall(around.env, { untilMs, reason }, family, order.model);
    pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
  }

  /** Whether the task was split; nothing is when there was none in hand. The list is a new one. */
  async function makeSmaller({ task, reason }: Stuck): Promise<LoopEnd | boolean> {
    await settleList(work, lists.current);
    const journal = await around.store.readJournal(order.storyId);
    const isLeft = task !== undefined && board.left().some(({ id }) => id === task);
    const isDue = isLeft && !isWantedWhole(journal, task);
    const end = isDue ? await split({ task, reason }) : undefined;
    if (end) return end;
    lists.current = await hydrate(work);
    return isDue;
  }

  async function split(what: SplitOrder): Promise<LoopEnd | undefined> {
    for (;;) {
      const over = limitReached() ?? (await clock.untilWallIsGone());
      if (over) return over;
      const done = await resplit(work, what);
      switch (done.kind) {
        case "split":
          return undefined;
        case "limit":
          hitLimit(done);
          break;
        case "stopped":
          return stopped();
        case "failed":
          await askHowToSplit(work, what, done.problems);
          return blocked();
      }
    }
  }

  async function isOver(cycle: number): Promise<LoopEnd | undefined> {
    const { open } = await around.store.readJournal(order.storyId);
    if (open.length > 0) return blocked();
    if (board.isDone()) return { outcome: "done", reason: "All tasks are completed." };
    if (around.stop.aborted) return stopped();
    if (cycle > order.maxCycles) {
      return { outcome: "limit", reason: `${order.maxCycles} cycles were not enough.` };
    }
    return limitReached();
  }

  function limitReached(): LoopEnd | undefined {
    if (around.now() >= clock.deadlineMs()) return outOfTime();
    const spent = record.run().costUsd;
    if (order.maxCostUsd !== undefined && spent >= order.maxCostUsd) {
      return { outcome: "limit", reason: `$${spent.toFixed(2)} are spent.` };
    }
    return undefined;
  }

  function outOfTime(): LoopEnd {
    return { outcome: "limit", reason: `${order.maxMs / 60_000} minutes were not enough.` };
  }
}

/** The one that a person has looked at the result of, when they want it different and nobody began since. */
async function reworkedConversation(work: PlacedWork): Promise<string | undefined> {
  const { around, order, bills } = work;
  const { entries } = await around.store.readJournal(order.storyId);
  const said = entries.findLast(({ kind }) => kind === "feedback");
  if (said === undefined) return undefined;
  const last = (await around.store.listRuns(order.storyId)).find(({ cycles }) => cycles > 0);
  const isNews = last?.endedAt !== undefined && last.endedAt < said.at;
  if (!isNews || last.conversation === undefined) return undefined;
  // What it has cost so far is in its next bill again.
  const { costUsd, inputTokens, outputTokens } = last;
  bills.set(last.conversation, { costUsd, inputTokens, outputTokens });
  return last.conversation;
}

const stopped = (): LoopEnd => ({ outcome: "stopped", reason: "It was stopped." });
const failed = (reason: string): LoopEnd => ({ outcome: "failed", reason });
const blocked = (): LoopEnd => ({
  outcome: "blocked",
  reason: "A person has to answer a question first.",
});

interface Clock {
  readonly deadlineMs: () => number;
  /** Waits while the account is at its limit; an end when that would take too long. */
  readonly untilWallIsGone: () => Promise<LoopEnd | undefined>;
}

/** Time for work, and time for waiting: separate when the settings give waiting a time of its own. */
function newClock({ order, around, settings, record }: PlacedWork): Clock {
  let deadlineMs = around.now() + order.maxMs;
  const { wait: waitMinutes } = settings.limits;
  let waitLeftMs = (waitMinutes ?? 0) * 60_000;
  return {
    deadlineMs: () => deadlineMs,
    async untilWallIsGone() {
      for (;;) {
        const wall = readWall(around.env, around.now(), order.model);
        if (!wall) return undefined;
        const waitMs = wall.untilMs - around.now();
        const until = new Date(wall.untilMs).toISOString();
        const allowedMs = waitMinutes === undefined ? deadlineMs - around.now() : waitLeftMs;
        if (waitMs > allowedMs) {
          return { outcome: "limit", reason: `${wall.reason} It is over at ${until}.` };
        }
        record.note({ type: "limit.reached", reason: wall.reason, until });
        if (waitMinutes !== undefined) {
          waitLeftMs -= waitMs;
          deadlineMs += waitMs;
        }
        try {
          await wait(Math.min(waitMs, MAX_TIMER_MS), undefined, { signal: around.stop });
        } catch {
          return stopped();
        }
      }
    },
  };
}
