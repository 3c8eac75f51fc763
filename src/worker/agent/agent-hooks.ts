// What the worker does at each step of its agent: judges every tool call, writes status changes into the
// story's files as they happen, and commits each completed task. Its counterpart for tasks is
// `pool/task/agent-hooks.ts`.

import { messageOf } from "../../errors.ts";
import type { AgentHooks, ToolCall } from "../../claude/sdk-hooks.ts";
import type { ToolAnswer } from "../../claude/messages.ts";
import type { Scope, ScopeVerdict } from "../../agent/scope/scope.ts";
import { textOf } from "../../agent/scope/tool-paths.ts";
import { judgeToolCall } from "../../agent/tool-call.ts";
import { judgeTaskUpdate, statusChange, type StatusChange } from "../../claude/tasks/sync.ts";
import { checksRefusal, orderRefusal, STOPPING } from "../../gate/completion.ts";
import { checkPlace } from "../../gate/check-place.ts";
import type { CheckResult } from "../../gate/checks.ts";
import { codeTree } from "../../repo/code-tree.ts";
import { whyNotCommittable } from "../../repo/commits/committable.ts";
import { describeAnswer, describeCall } from "../../agent/describe-tool.ts";
import { CONFLICT_TASK } from "../../story/plan/fix-task.ts";
import { RUN_MARK } from "../../story/definition/names.ts";
import { commitCompletedTasks } from "../commit-completed-tasks.ts";
import { finishConflictMerge } from "../steps/conflict.ts";
import { restoreGuardedFiles } from "../restore-guarded-files.ts";
import type { AgentWatch } from "./watch-agent.ts";
import type { PreparedWork } from "../context.ts";

export interface HookState {
  /** The agent has asked a person: it may do nothing more until there is an answer. */
  isBlocked: boolean;
  /** Tool calls since the last completion, without those on the task list. */
  workCalls: number;
  /** The task that was last set to in_progress and is not completed yet. */
  currentTask: string | undefined;
  /** A completion is being judged or written: the changes are about to be committed. */
  isCompleting: boolean;
}

export interface StoryHookOptions {
  readonly scope: Scope;
  readonly state: HookState;
  /** Ends the agent and the checks that run for it. */
  readonly stop: AbortSignal;
  readonly watch: Pick<AgentWatch, "called" | "answered" | "noteForAgent" | "completing">;
}

const LIST_TOOLS: ReadonlySet<string> = new Set([
  "TaskList",
  "TaskGet",
  "TaskUpdate",
  "TaskCreate",
]);
const ALLOWED: ScopeVerdict = { isAllowed: true };

export interface StoryAgentHooks extends AgentHooks {
  /** Resolves when all writes and commits are done. */
  readonly settled: () => Promise<void>;
  readonly onAnswer: (answer: ToolAnswer) => void;
}

export function storyAgentHooks(work: PreparedWork, options: StoryHookOptions): StoryAgentHooks {
  const { board, record, context } = work;
  const { state, watch } = options;
  const inSequence = newQueue();
  /** The latest check results of each task. */
  const checkResults = new Map<string, readonly CheckResult[]>();
  const inFlight = new Map<string, { readonly tool: string; readonly fromMs: number }>();
  /** Calls that complete a task, until they are answered with success or failure. */
  const completing = new Set<string>();

  return {
    settled: () => inSequence(async () => undefined),

    noteForAgent: watch.noteForAgent,

    beforeTool(call) {
      const verdict = judge(call);
      const { id, tool } = call;
      watch.called(id, tool);
      if (!verdict.isAllowed) watch.answered(id, tool);
      if (verdict.isAllowed) {
        if (!LIST_TOOLS.has(tool)) state.workCalls++;
        inFlight.set(id, { tool, fromMs: context.now() });
        if (tool === "TaskUpdate" && textOf(call.input, "status") === "completed") {
          completing.add(id);
          state.isCompleting = true;
        }
        record.note({ type: "tool.called", id, tool, about: describeCall(call, work.worktree) });
      } else record.note({ type: "tool.refused", id, tool, reason: verdict.reason });
      return verdict;
    },

    onAnswer({ id, isError, response }) {
      const called = inFlight.get(id);
      // A refused call is not in the map.
      if (!called) return;
      inFlight.delete(id);
      const { tool, fromMs } = called;
      completing.delete(id);
      state.isCompleting = completing.size > 0;
      watch.answered(id, tool);
      const about = describeAnswer({ tool, isError, response });
      record.note({ type: "tool.answered", id, tool, isError, ms: context.now() - fromMs, about });
    },

    async afterTaskUpdate({ tool, response }) {
      const change = statusChange(tool, response);
      // Updates of one turn arrive together, but are committed one after the other.
      if (change && board.task(change.taskId)) await inSequence(() => sync(change));
    },

    async beforeCompletion(taskId) {
      const verdict = await inSequence(() => mayComplete(taskId));
      if (verdict.isAllowed) {
        // If this worker is killed, the next one accepts the completion only with this event.
        if (board.task(taskId)) record.note({ type: "task.passed", task: taskId }, DURABLE);
        work.allowedCompletions.add(taskId);
      } else record.note({ type: "task.refused", task: taskId, reason: verdict.reason });
      return verdict;
    },
  };

  function judge(call: ToolCall): ScopeVerdict {
    if (context.stop.aborted) return refuse(STOPPING);
    if (state.isBlocked) {
      return refuse("Your question is recorded. A person will answer it. End your turn now.");
    }
    if (call.tool === "TaskUpdate") return judgeTaskUpdate(call.input, board.status);
    return judgeToolCall(options.scope, call);
  }

  async function mayComplete(taskId: string): Promise<ScopeVerdict> {
    const task = board.task(taskId);
    if (!task) return ALLOWED;
    const tooEarly = orderRefusal(board.waitsFor(taskId));
    if (tooEarly !== undefined) return refuse(tooEarly);
    // A completion that was allowed but could not be written may be repeated without new work.
    if (state.workCalls === 0 && !work.allowedCompletions.has(taskId)) {
      return refuse(
        "No work was done since the previous task was completed. Do the work of this task now. If there is nothing to do, say why with the journal tool, then complete it.",
      );
    }
    restoreGuardedFiles(work, { isThorough: true });
    const conflict = taskId === CONFLICT_TASK ? await finishConflictMerge(work) : undefined;
    if (conflict !== undefined) return refuse(conflict);
    const { git, gitDir, request, exclude } = work;
    const problem = await whyNotCommittable(git, gitDir, request.storyId, exclude);
    if (problem !== undefined) return refuse(problem);
    const at = checkPlace({
      cwd: work.worktree,
      env: context.env,
      storyId: request.storyId,
      settings: work.settings,
      variables: { ...work.ports, [RUN_MARK]: record.run().id },
      stop: options.stop,
    });
    const failed = await checksRefusal(task.checks, at, (results) =>
      checkResults.set(taskId, results),
    );
    if (failed !== undefined) return refuse(failed);
    await watch.completing(taskId).catch((error: unknown) => {
      record.warn(`The size of ${taskId} could not be measured: ${messageOf(error)}`);
    });
    // Reset now, not when it is written: if two tasks are completed in one turn, the second is judged before
    // the first is written.
    state.workCalls = 0;
    return ALLOWED;
  }

  /** The receipts are for the task's commit: that is the code that the checks ran on. */
  async function recordReceipts(taskId: string): Promise<void> {
    const results = checkResults.get(taskId) ?? [];
    const tree = results.length === 0 ? "" : await codeTree(work.git, "HEAD");
    for (const result of results) {
      record.note(
        { type: "gate", gate: "check", task: taskId, tree, findings: [], ...result },
        DURABLE,
      );
    }
  }

  /** Writes the story's file first: it is part of the commit that follows. */
  async function sync({ taskId, to }: StatusChange): Promise<void> {
    board.change(taskId, to);
    if (to === "in_progress") state.currentTask = taskId;
    else if (state.currentTask === taskId) state.currentTask = undefined;
    try {
      restoreGuardedFiles(work);
      await context.store.setTaskStatus(work.request.storyId, taskId, to);
    } catch (error) {
      // The agent continues; the status is written when the run is reconciled.
      record.warn(`The status of ${taskId} could not be written: ${messageOf(error)}`);
    }
    record.note({ type: "task.changed", task: taskId, to });
    if (to !== "completed") return;
    try {
      await commitCompletedTasks(work);
      await recordReceipts(taskId);
    } catch (error) {
      record.warn(`The commit of ${taskId} failed: ${messageOf(error)}`);
    }
  }
}

const DURABLE = { isDurable: true } as const;

const refuse = (reason: string): ScopeVerdict => ({ isAllowed: false, reason });

/** Runs actions one after the other. An action that fails does not affect the next. */
function newQueue(): <T>(act: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (act) => {
    const next = last.then(act);
    last = next.catch(() => undefined);
    return next;
  };
}
