// What the worker does at each step of its agent: judges every tool call, writes status changes into
// the story's files as they happen, and makes one commit of each completed task.

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
import { aboutAnswer, aboutCall } from "../../agent/describe-tool.ts";
import { CONFLICT_TASK } from "../../story/plan/fix-task.ts";
import { RUN_MARK } from "../../story/definition/names.ts";
import { commitCompleted } from "../commit-completed.ts";
import { endConflict } from "../steps/conflict.ts";
import { mended } from "../restore-guarded-files.ts";
import type { AgentWatch } from "./watch-agent.ts";
import type { PlacedWork } from "../work.ts";

export interface HookState {
  /** The agent has asked a person: nothing more is done until there is an answer. */
  isBlocked: boolean;
  /** Tool calls since the last completion that were more than looking at the task list. */
  worked: number;
  /** The task that was last set to in_progress, and is not completed. */
  inHand: string | undefined;
  /** It is being judged, or written down: what there is of it is about to be committed. */
  isCompleting: boolean;
}

export interface HookPlace {
  readonly scope: Scope;
  readonly state: HookState;
  /** Ends the agent, and whatever is being checked for it. */
  readonly stop: AbortSignal;
  readonly watch: Pick<AgentWatch, "called" | "answered" | "aside" | "completing">;
}

const LIST_TOOLS: ReadonlySet<string> = new Set([
  "TaskList",
  "TaskGet",
  "TaskUpdate",
  "TaskCreate",
]);
const ALLOWED: ScopeVerdict = { isAllowed: true };

export interface AgentListener extends AgentHooks {
  /** When nothing is being written or committed any more. */
  readonly settled: () => Promise<void>;
  readonly onAnswer: (answer: ToolAnswer) => void;
}

export function agentHooks(work: PlacedWork, place: HookPlace): AgentListener {
  const { board, record, around } = work;
  const { state, watch } = place;
  const inOrder = newQueue();
  /** What the checks of a task said last. */
  const checked = new Map<string, readonly CheckResult[]>();
  const inFlight = new Map<string, { readonly tool: string; readonly fromMs: number }>();
  /** Calls that complete a task, until they are answered: whether it could be written or not. */
  const completing = new Set<string>();

  return {
    settled: () => inOrder(async () => undefined),

    aside: watch.aside,

    beforeTool(call) {
      const verdict = judge(call);
      const { id, tool } = call;
      watch.called(id, tool);
      if (!verdict.isAllowed) watch.answered(id, tool);
      if (verdict.isAllowed) {
        if (!LIST_TOOLS.has(tool)) state.worked++;
        inFlight.set(id, { tool, fromMs: around.now() });
        if (tool === "TaskUpdate" && textOf(call.input, "status") === "completed") {
          completing.add(id);
          state.isCompleting = true;
        }
        record.note({ type: "tool.called", id, tool, about: aboutCall(call, work.worktree) });
      } else record.note({ type: "tool.refused", id, tool, reason: verdict.reason });
      return verdict;
    },

    onAnswer({ id, isError, response }) {
      const called = inFlight.get(id);
      // One that was refused was no call.
      if (!called) return;
      inFlight.delete(id);
      const { tool, fromMs } = called;
      completing.delete(id);
      state.isCompleting = completing.size > 0;
      watch.answered(id, tool);
      const about = aboutAnswer({ tool, isError, response });
      record.note({ type: "tool.answered", id, tool, isError, ms: around.now() - fromMs, about });
    },

    async afterTaskUpdate({ tool, response }) {
      const change = statusChange(tool, response);
      // Several updates of one turn arrive together: their commits must not.
      if (change && board.task(change.taskId)) await inOrder(() => sync(work, change));
    },

    async beforeCompletion(taskId) {
      const verdict = await inOrder(() => mayComplete(taskId));
      if (verdict.isAllowed) {
        // The next worker believes a completion only when it finds this.
        if (board.task(taskId)) record.note({ type: "task.passed", task: taskId }, DURABLE);
        work.passed.add(taskId);
      } else record.note({ type: "task.refused", task: taskId, reason: verdict.reason });
      return verdict;
    },
  };

  function judge(call: ToolCall): ScopeVerdict {
    if (around.stop.aborted) return refuse(STOPPING);
    if (state.isBlocked) {
      return refuse("Your question is recorded, and a person will answer it. End your turn now.");
    }
    if (call.tool === "TaskUpdate") return judgeTaskUpdate(call.input, board.status);
    return judgeToolCall(place.scope, call);
  }

  async function mayComplete(taskId: string): Promise<ScopeVerdict> {
    const task = board.task(taskId);
    if (!task) return ALLOWED;
    const tooEarly = orderRefusal(board.waitsFor(taskId));
    if (tooEarly !== undefined) return refuse(tooEarly);
    // One that was let pass, and could not be written, may be asked for again.
    if (state.worked === 0 && !work.passed.has(taskId)) {
      return refuse(
        "Nothing was done since the task before it was completed. Do its work now; if there is truly nothing to do, say why with journal, and complete it then.",
      );
    }
    mended(work, { isThorough: true });
    const conflict = taskId === CONFLICT_TASK ? await endConflict(work) : undefined;
    if (conflict !== undefined) return refuse(conflict);
    const { git, gitDir, order, exclude } = work;
    const trouble = await whyNotCommittable(git, gitDir, order.storyId, exclude);
    if (trouble !== undefined) return refuse(trouble);
    const at = checkPlace({
      cwd: work.worktree,
      env: around.env,
      storyId: order.storyId,
      settings: work.settings,
      variables: { ...work.ports, [RUN_MARK]: record.run().id },
      stop: place.stop,
    });
    const failed = await checksRefusal(task.checks, at, (results) => checked.set(taskId, results));
    if (failed !== undefined) return refuse(failed);
    await watch.completing(taskId).catch((error: unknown) => {
      record.warn(`The size of ${taskId} could not be measured: ${messageOf(error)}`);
    });
    // Here, and not when it is written: of two that are completed in one turn, the second is asked before that.
    state.worked = 0;
    return ALLOWED;
  }

  /** For what was committed with the task, which is what its checks have seen. */
  async function noteReceipts(taskId: string): Promise<void> {
    const results = checked.get(taskId) ?? [];
    const tree = results.length === 0 ? "" : await codeTree(work.git, "HEAD");
    for (const result of results) {
      record.note(
        { type: "gate", gate: "check", task: taskId, tree, findings: [], ...result },
        DURABLE,
      );
    }
  }

  /** The story's file first: the commit that follows carries it. */
  async function sync(at: PlacedWork, { taskId, to }: StatusChange): Promise<void> {
    board.change(taskId, to);
    if (to === "in_progress") state.inHand = taskId;
    else if (state.inHand === taskId) state.inHand = undefined;
    try {
      mended(at);
      await around.store.setTaskStatus(at.order.storyId, taskId, to);
    } catch (error) {
      // The agent goes on; what was seen is written at the end.
      record.warn(`The status of ${taskId} could not be written: ${messageOf(error)}`);
    }
    record.note({ type: "task.changed", task: taskId, to });
    if (to !== "completed") return;
    try {
      await commitCompleted(at);
      await noteReceipts(taskId);
    } catch (error) {
      record.warn(`The commit of ${taskId} failed: ${messageOf(error)}`);
    }
  }
}

const DURABLE = { isDurable: true } as const;

const refuse = (reason: string): ScopeVerdict => ({ isAllowed: false, reason });

/** One after the other, in the order of asking; a failure is the asker's alone. */
function newQueue(): <T>(act: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (act) => {
    const next = last.then(act);
    last = next.catch(() => undefined);
    return next;
  };
}
