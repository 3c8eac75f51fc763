// One headless run of the agent on the story, with the worker's hooks and tools in it.

import { giveTime } from "../../agent/deadline.ts";
import { headlessRun, WORK_TOOLS, type HeadlessEnd } from "../../claude/run.ts";
import { TASK_TOOLS } from "../../claude/probe.ts";
import { sagaServer, type SagaTools } from "../../claude/saga-tools.ts";
import { cacheVariables } from "../../claude/sandbox/settings.ts";
import { clearStubs } from "../../claude/sandbox/stubs.ts";
import { GO_ON } from "../../agent/usage-limit.ts";
import { CONFLICT_TASK } from "../../story/plan/fix-task.ts";
import { gateRules } from "../../story/prompts/gate-rules.ts";
import { RUN_MARK } from "../../story/definition/names.ts";
import { feedback, headlessPrompt } from "../../story/prompts/story-prompt.ts";
import { environmentOfAgent } from "./agent-env.ts";
import { gateFacts } from "../gate-facts.ts";
import { agentHooks, type HookState } from "./agent-hooks.ts";
import { scopeOfAgent } from "./agent-scope.ts";
import { budgetLeft } from "../../agent/cost.ts";
import type { TaskList } from "../steps/hydrate.ts";
import { sandboxPlace } from "../../claude/sandbox/paths.ts";
import { isWantedWhole } from "../split/split-journal.ts";
import { watchAgent, type Stuck } from "./watch-agent.ts";
import type { PlacedWork } from "../work.ts";

interface AgentOrder {
  readonly list: TaskList;
  readonly resume: string | undefined;
  /** The conversation had come to its end, and a person wants the work different. */
  readonly isRework?: boolean | undefined;
  readonly deadlineMs: number;
}

export interface AgentRun {
  readonly end: HeadlessEnd;
  readonly isBlocked: boolean;
  readonly hasTimedOut: boolean;
  /** It was stopped because it got nowhere, or because its task has grown too large. */
  readonly stuck?: Stuck | undefined;
}

/** How long an agent that has asked its question may take to say goodbye. */
const GOODBYE_MS = 30_000;

export async function runAgent(work: PlacedWork, order: AgentOrder): Promise<AgentRun> {
  const { around, record, settings } = work;
  // Before there is a timer that nobody would end.
  const journal = await around.store.readJournal(work.order.storyId);
  const gate = await gateFacts(work);
  const template = await around.store.promptTemplate();
  const sandbox = await sandboxPlace({ ...work, env: around.env });
  const time = giveTime(order.deadlineMs - around.now(), around.stop);
  const state: HookState = {
    isBlocked: false,
    worked: 0,
    inHand: undefined,
    isCompleting: false,
  };
  const agentEnv = environmentOfAgent(work, {
    taskListId: order.list.id,
    folder: work.worktree,
    ports: work.ports,
  });
  const env = sandbox ? { ...cacheVariables(work.gitDir), ...agentEnv } : agentEnv;
  const watch = watchAgent(work, {
    state,
    // What the target has changed is in the worktree too while a merge is in progress.
    isExempt: (taskId) => taskId === CONFLICT_TASK || isWantedWhole(journal, taskId),
    onStuck: time.end,
  });
  const hooks = agentHooks(work, {
    state,
    stop: time.signal,
    watch,
    scope: scopeOfAgent(work, work.worktree),
  });
  const tools = sagaTools(work, state, () => time.goodbye(GOODBYE_MS));
  try {
    const end = await headlessRun({
      claude: around.claude,
      cwd: work.worktree,
      env,
      mark: [RUN_MARK, record.run().id],
      taskListId: order.list.id,
      prompt:
        order.resume === undefined
          ? headlessPrompt(work.definition.story(), journal, { template, gate })
          : order.isRework
            ? [feedback(journal) ?? "", REWORK, gateRules(gate)].join("\n\n")
            : GO_ON,
      model: work.order.model,
      resume: order.resume,
      maxCostUsd: budgetLeft(work),
      meter: work.meter.start(order.resume),
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
        if (event.type === "agent.retries") watch.waited();
        record.note(event);
      },
      stop: time.signal,
    });
    // The agent is gone; what its last call has set going may not be.
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
      hasTimedOut: time.isUp(),
      stuck: watch.stuck(),
    };
  } finally {
    await watch.end();
    time.forget();
    if (sandbox) clearStubs(work.worktree, work.repository.commonDir);
  }
}

const REWORK =
  "There is a new task list with what is left to do. Look at it with TaskList, and do it as before.";

function sagaTools(work: PlacedWork, state: HookState, onBlocked: () => void): SagaTools {
  const { around, record, order } = work;
  const at = (): string => new Date(around.now()).toISOString();
  // The journal is committed, and a secret in it would be there for good.
  const { redact } = record;
  return {
    async journal({ kind, title: heading, body: text }) {
      const [title, body] = [redact(heading), redact(text)];
      await around.store.appendJournal(order.storyId, { kind, at: at(), title, body });
      record.note({ type: "journal", kind, title });
      return "Recorded in the journal.";
    },
    async reportBlocker({ title: heading, body: text }) {
      const [title, body] = [redact(heading), redact(text)];
      const entry = { kind: "blocker", at: at(), title, body } as const;
      const { blocker } = await around.store.appendJournal(order.storyId, entry);
      record.note({ type: "journal", kind: "blocker", title }, { isDurable: true });
      state.isBlocked = true;
      onBlocked();
      return `Recorded as blocker ${blocker}. A person will answer it; end your turn now.`;
    },
  };
}
