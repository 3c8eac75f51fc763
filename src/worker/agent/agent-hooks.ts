// What the worker decides while its agent works: judges every tool call, writes status changes into the story's
// files as they happen, and commits each completed task.

import { messageOf } from "../../errors.ts";
import type { StatusChange, ToolCall } from "../../agent/agent.ts";
import type { AgentControl, JobHooks } from "../../agent/job.ts";
import type { Scope, ScopeVerdict } from "../../agent/scope/scope.ts";
import { textOf } from "../../agent/scope/tool-paths.ts";
import { judgeToolCall } from "../../agent/tool-call.ts";
import { TASK_TOOLS } from "../../agent/tool-names.ts";
import { judgeTaskUpdate } from "../../claude/tasks/sync.ts";
import { checksRefusal, orderRefusal } from "../../gate/completion.ts";
import { checkPlace } from "../../gate/check-place.ts";
import type { CheckResult } from "../../gate/checks.ts";
import { codeTree } from "../../repo/code-tree.ts";
import { judgeCommittable } from "../../repo/commits/committable.ts";
import { CONFLICT_TASK } from "../../story/plan/fix-task.ts";
import type { Task } from "../../story/definition/task.ts";
import { RUN_MARK } from "../../story/definition/names.ts";
import { commitCompletedTasks } from "../commit-completed-tasks.ts";
import { finishConflictMerge } from "../steps/conflict.ts";
import { restoreGuardedFiles } from "../restore-guarded-files.ts";
import type { ConflictWatch } from "../early-warning/watch-conflicts.ts";
import type { NoteWatch } from "./watch-notes.ts";
import type { SizeWatch } from "./watch-size.ts";
import type { PreparedWork } from "../context.ts";

export interface HookState {
  /** The agent has asked a person. */
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
  readonly control: Pick<AgentControl, "signal">;
  readonly size: SizeWatch;
  readonly conflicts: ConflictWatch;
  readonly notes: NoteWatch;
}

const LIST_TOOLS: ReadonlySet<string> = new Set(TASK_TOOLS);
const ALLOWED: ScopeVerdict = { isAllowed: true };

export function storyAgentHooks(
  work: PreparedWork,
  { scope, state, control, size, conflicts, notes }: StoryHookOptions,
): Omit<JobHooks, "sagaTools"> {
  const { story, record, context } = work;
  /** The latest check results of each task. */
  const checkResults = new Map<string, readonly CheckResult[]>();
  /** Calls that complete a task, until they are answered with success or failure. */
  const completing = new Set<string>();

  return {
    judge: (call) =>
      call.tool === "TaskUpdate"
        ? judgeTaskUpdate(call.input, story.status)
        : judgeToolCall(scope, call),

    onCall(call, { isAllowed }) {
      if (!isAllowed) return;
      if (!LIST_TOOLS.has(call.tool)) state.workCalls++;
      if (!completesTask(call)) return;
      completing.add(call.id);
      state.isCompleting = true;
    },

    onAnswer({ id, tool }) {
      completing.delete(id);
      state.isCompleting = completing.size > 0;
      size.answered(tool);
    },

    noteForAgent() {
      const texts = [notes.noteForAgent(), size.noteForAgent(), conflicts.noteForAgent()];
      return texts.filter((note) => note !== undefined).join("\n\n") || undefined;
    },
    onCheckIn: size.onCheckIn,
    // The task's checks run; they have their own time limit.
    isBusy: () => state.isCompleting,
    async settled() {
      await Promise.all([size.end(), conflicts.end()]);
    },

    tasks: {
      async mayComplete(taskId) {
        const verdict = await mayComplete(taskId);
        if (verdict.isAllowed) {
          // If this worker is killed, the next one accepts the completion only with this event.
          if (story.task(taskId)) record.note({ type: "task.passed", task: taskId }, DURABLE);
          story.allowCompletion(taskId);
        } else record.note({ type: "task.refused", task: taskId, reason: verdict.reason });
        return verdict;
      },
      async onChange(change) {
        if (story.task(change.taskId)) await sync(change);
      },
    },
  };

  async function mayComplete(taskId: string): Promise<ScopeVerdict> {
    const task = story.task(taskId);
    if (!task) return ALLOWED;
    const tooEarly = orderRefusal(story.waitsFor(taskId));
    if (tooEarly !== undefined) return refuse(tooEarly);
    // A completion that was allowed but could not be written may be repeated without new work.
    if (state.workCalls === 0 && !story.isCompletionAllowed(taskId)) {
      return refuse(
        "No work was done since the previous task was completed. Do the work of this task now. If there is nothing to do, say why with the journal tool, then complete it.",
      );
    }
    restoreGuardedFiles(work, { isThorough: true });
    const conflict = taskId === CONFLICT_TASK ? await finishConflictMerge(work) : undefined;
    if (conflict !== undefined) return refuse(conflict);
    const { git, gitDir, request, exclude } = work;
    const committable = await judgeCommittable(git, gitDir, request.storyId, exclude);
    if (committable.problem !== undefined) return refuse(committable.problem);
    const failed = await failedCheck(task);
    if (failed !== undefined) return refuse(failed);
    // Checks may have written files.
    const files = task.checks.length === 0 ? committable.files : undefined;
    await size.completing(taskId, files).catch((error: unknown) => {
      record.warn(
        `The size of the change for ${taskId} could not be measured: ${messageOf(error)}`,
      );
    });
    // Reset now, not when it is written: if two tasks are completed in one turn, the second is judged before
    // the first is written.
    state.workCalls = 0;
    return ALLOWED;
  }

  async function failedCheck({ id, checks }: Task): Promise<string | undefined> {
    if (checks.length === 0) return undefined;
    const place = await checkPlace({
      cwd: work.worktree,
      commonDir: work.repository.commonDir,
      env: context.env,
      storyId: work.request.storyId,
      settings: context.settings,
      variables: { [RUN_MARK]: record.run().id },
      stop: control.signal,
    });
    return checksRefusal(checks, place, (results) => checkResults.set(id, results));
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
    if (to === "in_progress") state.currentTask = taskId;
    else if (state.currentTask === taskId) state.currentTask = undefined;
    try {
      await story.setStatus(taskId, to, () => restoreGuardedFiles(work));
    } catch (error) {
      // The agent continues; the status is written when the run is reconciled.
      record.warn(`The status of ${taskId} could not be written: ${messageOf(error)}`);
    }
    if (to !== "completed") return;
    try {
      await commitCompletedTasks(work);
      conflicts.committed();
      await recordReceipts(taskId);
    } catch (error) {
      record.warn(`The commit of ${taskId} failed: ${messageOf(error)}`);
    }
  }
}

const DURABLE = { isDurable: true } as const;

const refuse = (reason: string): ScopeVerdict => ({ isAllowed: false, reason });

const completesTask = ({ tool, input }: ToolCall): boolean =>
  tool === "TaskUpdate" && textOf(input, "status") === "completed";
