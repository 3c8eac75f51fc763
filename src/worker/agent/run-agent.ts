// One agent run on the story, with the worker's hooks and tools. Its counterpart for tasks is
// `pool/task/run-agent.ts`.

import { startDeadline } from "../../agent/deadline.ts";
import { headlessRun, WORK_TOOLS, type HeadlessEnd } from "../../claude/run.ts";
import { TASK_TOOLS } from "../../claude/probe.ts";
import { sagaServer, type SagaTools } from "../../claude/saga-tools.ts";
import { cacheVariables } from "../../claude/sandbox/settings.ts";
import { clearStubs } from "../../claude/sandbox/stubs.ts";
import { CONTINUE } from "../../agent/usage-limit.ts";
import { CONFLICT_TASK } from "../../story/plan/fix-task.ts";
import { gateRules } from "../../story/prompts/gate-rules.ts";
import { RUN_MARK } from "../../story/definition/names.ts";
import { feedback, headlessPrompt } from "../../story/prompts/story-prompt.ts";
import { storyAgentEnvironment } from "./agent-env.ts";
import { gateFacts } from "../gate-facts.ts";
import { storyAgentHooks, type HookState } from "./agent-hooks.ts";
import { storyAgentScope } from "./agent-scope.ts";
import { budgetLeft } from "../../agent/cost.ts";
import type { TaskList } from "../steps/hydrate.ts";
import { sandboxPlace } from "../../claude/sandbox/paths.ts";
import { mustStayWhole } from "../split/split-journal.ts";
import { watchAgent, type StuckAgent } from "./watch-agent.ts";
import type { PreparedWork } from "../context.ts";

interface StoryAgentRequest {
  readonly list: TaskList;
  /** The conversation to continue. */
  readonly resume: string | undefined;
  /** The conversation had ended, and a person sent its work back. */
  readonly isSentBack?: boolean | undefined;
  readonly deadlineMs: number;
}

export interface StoryAgentResult {
  readonly end: HeadlessEnd;
  readonly isBlocked: boolean;
  readonly hasTimedOut: boolean;
  /** Set if the run was stopped because it made no progress, or because its task grew too large. */
  readonly stuck?: StuckAgent | undefined;
}

/** How long an agent that has asked its question may take to end. */
const FINAL_GRACE_MS = 30_000;

export async function runStoryAgent(
  work: PreparedWork,
  request: StoryAgentRequest,
): Promise<StoryAgentResult> {
  const { context, record, settings } = work;
  // All that may fail comes before the deadline's timer, which only `finally` below clears.
  const journal = await context.store.readJournal(work.request.storyId);
  const gate = await gateFacts(work);
  const template = await context.store.promptTemplate();
  const sandbox = await sandboxPlace({ ...work, env: context.env });
  const deadline = startDeadline(request.deadlineMs - context.now(), context.stop);
  const state: HookState = {
    isBlocked: false,
    workCalls: 0,
    currentTask: undefined,
    isCompleting: false,
  };
  const agentEnv = storyAgentEnvironment(work, {
    taskListId: request.list.id,
    folder: work.worktree,
    ports: work.ports,
  });
  const env = sandbox ? { ...cacheVariables(work.gitDir), ...agentEnv } : agentEnv;
  const watch = watchAgent(work, {
    state,
    // While a merge is in progress, the target's changes are in the worktree too.
    isExempt: (taskId) => taskId === CONFLICT_TASK || mustStayWhole(journal, taskId),
    onStuck: deadline.end,
  });
  const hooks = storyAgentHooks(work, {
    state,
    stop: deadline.signal,
    watch,
    scope: storyAgentScope(work, work.worktree),
  });
  const tools = sagaTools(work, state, () => deadline.allowGrace(FINAL_GRACE_MS));
  try {
    const end = await headlessRun({
      claude: context.claude,
      cwd: work.worktree,
      env,
      mark: [RUN_MARK, record.run().id],
      taskListId: request.list.id,
      prompt:
        request.resume === undefined
          ? headlessPrompt(work.definition.story(), journal, { template, gate })
          : request.isSentBack
            ? [feedback(journal) ?? "", NEW_TASKS, gateRules(gate)].join("\n\n")
            : CONTINUE,
      model: work.request.model,
      resume: request.resume,
      maxCostUsd: budgetLeft(work),
      meter: work.meter.start(request.resume),
      moreTools: settings.claude.tools,
      sandbox,
      hooks,
      onAnswer: hooks.onAnswer,
      kit: {
        tools: WORK_TOOLS,
        required: TASK_TOOLS,
        server: (sdk) => sagaServer(sdk, tools),
      },
      onStart: record.agentStarted,
      onEvent(event) {
        if (event.type === "agent.retries") watch.retried();
        record.note(event);
      },
      stop: deadline.signal,
    });
    // The agent has ended, but the hook of its last call may still be writing or committing.
    await hooks.settled();
    await watch.end();
    const { conversation, model } = end;
    record.update({
      conversation: conversation ?? record.run().conversation,
      model: model ?? record.run().model,
    });
    return {
      end,
      isBlocked: state.isBlocked,
      hasTimedOut: deadline.hasPassed(),
      stuck: watch.stuck(),
    };
  } finally {
    await watch.end();
    deadline.clear();
    if (sandbox) clearStubs(work.worktree, work.repository.commonDir);
  }
}

const NEW_TASKS =
  "There is a new task list with the remaining work. Read it with TaskList, and work through it as before.";

function sagaTools(work: PreparedWork, state: HookState, onBlocked: () => void): SagaTools {
  const { context, record, request } = work;
  const at = (): string => new Date(context.now()).toISOString();
  // The journal is committed: a secret in it would stay in git's history.
  const { redact } = record;
  return {
    async journal({ kind, title: heading, body: text }) {
      const [title, body] = [redact(heading), redact(text)];
      await context.store.appendJournal(request.storyId, { kind, at: at(), title, body });
      record.note({ type: "journal", kind, title });
      return "Recorded in the journal.";
    },
    async reportBlocker({ title: heading, body: text }) {
      const [title, body] = [redact(heading), redact(text)];
      const entry = { kind: "blocker", at: at(), title, body } as const;
      const { blocker } = await context.store.appendJournal(request.storyId, entry);
      record.note({ type: "journal", kind: "blocker", title }, { isDurable: true });
      state.isBlocked = true;
      onBlocked();
      return `Recorded as blocker ${blocker}. A person will answer it. End your turn now.`;
    },
  };
}
