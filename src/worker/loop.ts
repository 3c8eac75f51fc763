// Step 5: headless runs until all tasks are completed, a question is open, or a limit is reached.
//
//   a run ends well, tasks left       the next cycle; two cycles without progress end it
//   a run crashes                     the story has failed, at once: no blind retries
//   a usage limit, an overload        wait for the reset, and go on in the same conversation
//   it cannot work like this          one sentence, and no loop

import { setTimeout as wait } from "node:timers/promises";
import type { RunOutcome } from "../story/state.ts";
import type { TaskList } from "./hydrate.ts";
import { runAgent } from "./run-agent.ts";
import { readWall, rememberWall } from "./wall.ts";
import type { PlacedWork } from "./work.ts";

export interface LoopEnd {
  readonly outcome: RunOutcome;
  readonly reason: string;
}

/** However often the service has refused without saying for how long. */
const LONGEST_PAUSE_MS = 30 * 60_000;
const MAX_IDLE_CYCLES = 2;

export async function loop(work: PlacedWork, list: TaskList): Promise<LoopEnd> {
  const { order, around, board, record } = work;
  const clock = newClock(work);
  let resume: string | undefined;
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
    const run = await runAgent(work, { list, resume, deadlineMs: clock.deadlineMs() });
    const { outcome } = run.end;
    const resumed = resume;
    resume = undefined;
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
        rememberWall(
          around.env,
          {
            // A reset that is over already, by this clock, would be no wait at all.
            untilMs: Math.max(outcome.resetsAtMs ?? 0, around.now() + pauseMs),
            reason: outcome.reason,
          },
          outcome.family,
        );
        pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
        resume = run.end.conversation;
        cycle--;
        break;
      case "over-budget":
        return { outcome: "limit", reason: outcome.reason };
      case "stopped":
        return run.hasTimedOut ? outOfTime() : stopped();
      case "refused":
        return failed(`${outcome.reason} ${outcome.hint}`);
      case "crashed":
        // Nothing is lost but what was said: the next one finds out from the list where it is.
        if (resumed !== undefined && outcome.reason.includes("No conversation found")) break;
        return failed(outcome.reason);
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
          await wait(waitMs, undefined, { signal: around.stop });
        } catch {
          return stopped();
        }
      }
    },
  };
}
