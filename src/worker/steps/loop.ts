// Step 5: agent runs until all tasks are completed, a question is open, or a limit is reached.
//
//   how an agent run ends               what follows
//   normally, tasks remain              the next run; two runs without progress fail the story
//   it crashes                          the story fails at once: no blind retries
//   its budget is spent                 it has ended in an orderly way: the story ends at its limit, or is done
//   a usage limit, an overload          wait for its end, and continue the same conversation
//   Claude Code refuses to work         the story fails with the reason
//   no progress, or a task too large    the task is split, and the next run gets a new list

import type { TimeBudget } from "../../agent/time-budget.ts";
import { hydrate, type Lists } from "./hydrate.ts";
import { settleList } from "./reconcile.ts";
import { askHowToSplit, splitInWorktree, type SplitTaskRequest } from "../split/split-task.ts";
import { sentBackConversation } from "./sent-back.ts";
import { runStoryAgent, type StoryAgentResult, type StuckAgent } from "../agent/run-agent.ts";
import { mustStayWhole } from "../split/split-journal.ts";
import { newNotes } from "../../story/prompts/person-notes.ts";
import { BLOCKED, failed, STOPPED, type StoryEnd } from "../ending.ts";
import {
  budgetLimit,
  cycleLimit,
  endOverBudget,
  timeLimit,
  timeOrCostLimit,
} from "../run-limits.ts";
import type { PreparedWork } from "../context.ts";

const MAX_IDLE_CYCLES = 2;

export async function runAgents(
  work: PreparedWork,
  lists: Lists,
  budget: TimeBudget<StoryEnd>,
): Promise<StoryEnd> {
  const { request, context, story, record } = work;
  let resume = await sentBackConversation(work);
  let isSentBack = resume !== undefined;
  let idleCycles = 0;

  for (;;) {
    const end = (await endBeforeRun()) ?? (await budget.waitForUsageLimit()) ?? spentBudget();
    if (end) return end;

    const tasksLeft = story.remaining().length;
    const { maxCycles } = request;
    record.note({ type: "cycle.started", cycle: record.run().cycles + 1, maxCycles, tasksLeft });
    const deadlineMs = budget.deadlineMs();
    const run = await runStoryAgent(work, { list: lists.current, resume, isSentBack, deadlineMs });
    const { outcome } = run.end;
    const wasResumed = resume !== undefined;
    resume = undefined;
    isSentBack = false;
    // A run that the usage limit ended does not count.
    if (outcome.kind !== "limit") record.update({ cycles: record.run().cycles + 1 });

    const isStopped = context.stop.aborted;
    const next = afterRun(run, { request, wasResumed, isStopped, isDone: story.isDone() });
    if (typeof next !== "string") return next;
    if (outcome.kind === "limit") {
      budget.recordLimit(outcome);
      resume = run.end.conversation;
    }
    if (next === "again") continue;
    if (next === "count") budget.resetPause();
    const stuck = next === "split" ? run.stuck : undefined;
    const isSplit = stuck !== undefined && (await splitStuckTask(stuck));
    if (typeof isSplit !== "boolean") return isSplit;
    idleCycles = isSplit || story.remaining().length < tasksLeft ? 0 : idleCycles + 1;
    if (!story.isDone() && idleCycles >= MAX_IDLE_CYCLES) {
      return failed(
        stuck
          ? `${stuck.reason} This was the second time in a row.`
          : `${idleCycles} agent runs in a row completed no task.`,
      );
    }
  }

  async function endBeforeRun(): Promise<StoryEnd | undefined> {
    const journal = await context.store.readJournal(request.storyId);
    if (journal.open.length > 0) return BLOCKED;
    if (story.isDone()) {
      for (const { title } of newNotes(journal, work.deliveredNotes)) record.warn(tooLate(title));
      return { outcome: "done", reason: "All tasks are completed." };
    }
    if (context.stop.aborted) return STOPPED;
    return cycleLimit(request, record.run().cycles) ?? reachedLimit();
  }

  function spentBudget(): StoryEnd | undefined {
    const reason = context.budget?.reason();
    return reason === undefined ? undefined : budgetLimit(reason);
  }

  function reachedLimit(): StoryEnd | undefined {
    const { costUsd } = record.run();
    const usage = { nowMs: context.now(), deadlineMs: budget.deadlineMs(), costUsd };
    return timeOrCostLimit(request, usage) ?? spentBudget();
  }

  /**
   * Returns whether there are new tasks: a split that repeats an earlier one is not progress. The next run
   * gets a new list in any case.
   */
  async function splitStuckTask({ task, reason }: StuckAgent): Promise<StoryEnd | boolean> {
    await settleList(work, lists.current);
    const journal = await context.store.readJournal(request.storyId);
    const isOpen = task !== undefined && story.remaining().some(({ id }) => id === task);
    const isSplittable = isOpen && !mustStayWhole(journal, task);
    const isSplit = isSplittable && (await split({ task, reason }));
    if (typeof isSplit !== "boolean") return isSplit;
    lists.current = await hydrate(work);
    return isSplit;
  }

  async function split(splitRequest: SplitTaskRequest): Promise<StoryEnd | boolean> {
    for (;;) {
      const end = reachedLimit() ?? (await budget.waitForUsageLimit());
      if (end) return end;
      const result = await splitInWorktree(work, splitRequest);
      switch (result.kind) {
        case "split":
          return result.changed.size > 0;
        case "limit":
          budget.recordLimit(result);
          break;
        case "stopped":
          return STOPPED;
        case "failed":
          await askHowToSplit(work, splitRequest, result.problems);
          return BLOCKED;
      }
    }
  }
}

const tooLate = (note: string): string =>
  `This note came after the agent's last tool call: ${note} If the work lacks it, send the story back.`;

interface RunSituation {
  readonly request: Parameters<typeof timeLimit>[0];
  /** It continued an earlier conversation. */
  readonly wasResumed: boolean;
  /** The worker itself is being stopped. */
  readonly isStopped: boolean;
  /** All tasks are completed. */
  readonly isDone: boolean;
}

/** An end; or `count` the progress, `again` without counting, or `split` the task that the agent was stuck on. */
export function afterRun(
  { end, isBlocked, hasTimedOut, stuck }: Omit<StoryAgentResult, "end"> & EndOf,
  { request, wasResumed, isStopped, isDone }: RunSituation,
): StoryEnd | "count" | "again" | "split" {
  const { outcome } = end;
  if (isBlocked) return BLOCKED;
  switch (outcome.kind) {
    case "ended":
      return "count";
    case "limit":
      return "again";
    case "over-budget":
      if (isDone) return "again";
      return endOverBudget(outcome, request);
    case "stopped":
      if (!isStopped && stuck !== undefined) return "split";
      return hasTimedOut ? timeLimit(request) : STOPPED;
    case "refused":
      return failed(`${outcome.reason} ${outcome.hint}`);
    case "crashed":
      // Claude Code no longer has the conversation: the next run starts a new one with the list.
      return wasResumed && outcome.isConversationLost ? "again" : failed(outcome.reason);
  }
}

interface EndOf {
  readonly end: Pick<StoryAgentResult["end"], "outcome">;
}
