// One headless run of the agent on the story, with the worker's hooks and tools in it.

import { agentEnvironment } from "../claude/environment.ts";
import { headlessRun, type HeadlessEnd } from "../claude/headless.ts";
import type { Bill } from "../claude/messages.ts";
import type { SagaTools } from "../claude/saga-tools.ts";
import { cacheVariables } from "../claude/sandbox.ts";
import { clearStubs } from "../claude/sandbox-stubs.ts";
import { environmentOfStory, RUN_MARK } from "../story/names.ts";
import { headlessPrompt } from "../story/prompt.ts";
import { agentHooks, type HookState } from "./agent-hooks.ts";
import type { TaskList } from "./hydrate.ts";
import { sandboxPlace } from "./sandbox-place.ts";
import type { PlacedWork } from "./work.ts";

interface AgentOrder {
  readonly list: TaskList;
  readonly resume: string | undefined;
  readonly deadlineMs: number;
}

export interface AgentRun {
  readonly end: HeadlessEnd;
  readonly isBlocked: boolean;
  readonly hasTimedOut: boolean;
}

/** How long an agent that has asked its question may take to say goodbye. */
const GOODBYE_MS = 30_000;
/** The longest that a timer can be set to. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export async function runAgent(work: PlacedWork, order: AgentOrder): Promise<AgentRun> {
  const { around, record, settings } = work;
  const stop = new AbortController();
  const onStop = (): void => stop.abort();
  around.stop.addEventListener("abort", onStop);
  if (around.stop.aborted) stop.abort();
  const time = { isUp: false };
  const leftMs = Math.max(0, order.deadlineMs - around.now());
  const timer = setTimeout(
    () => {
      time.isUp = true;
      stop.abort();
    },
    Math.min(leftMs, MAX_TIMER_MS),
  );
  const state: HookState = { isBlocked: false, worked: 0 };
  const journal = await around.store.readJournal(work.order.storyId);
  const sandbox = await sandboxPlace(work);
  const agentEnv = agentEnvironment(around.env, {
    taskListId: order.list.id,
    story: {
      ...environmentOfStory({
        storyId: work.order.storyId,
        taskListId: order.list.id,
        projectDir: work.worktree,
        sessionDir: around.sessionDir,
      }),
      ...work.ports,
      [RUN_MARK]: record.run().id,
    },
    pass: settings.claude.passEnv,
  });
  const env = sandbox ? { ...cacheVariables(work.gitDir), ...agentEnv } : agentEnv;
  const hooks = agentHooks(work, {
    env,
    state,
    scope: {
      project: work.repository.project,
      worktree: work.worktree,
      storyId: work.order.storyId,
      readable: work.readable,
    },
  });
  try {
    const end = await headlessRun({
      claude: around.claude,
      cwd: work.worktree,
      env,
      mark: [RUN_MARK, record.run().id],
      taskListId: order.list.id,
      prompt: order.resume === undefined ? headlessPrompt(work.story.story, journal) : GO_ON,
      model: work.order.model,
      resume: order.resume,
      maxCostUsd: budgetLeft(work),
      moreTools: settings.claude.tools,
      sandbox,
      hooks,
      onAnswer: hooks.onAnswer,
      tools: sagaTools(work, state, () => setTimeout(() => stop.abort(), GOODBYE_MS).unref()),
      onStart: record.agentStarted,
      onEvent: record.note,
      stop: stop.signal,
    });
    // The agent is gone; what its last call has set going may not be.
    await hooks.settled();
    bill(work, end, order.resume);
    return {
      end,
      isBlocked: state.isBlocked,
      hasTimedOut: time.isUp,
    };
  } finally {
    clearTimeout(timer);
    if (sandbox) clearStubs(work.worktree, work.repository.commonDir);
    around.stop.removeEventListener("abort", onStop);
  }
}

const GO_ON = "The limit is over. Go on where you were.";

const budgetLeft = ({ order, record }: PlacedWork): number | undefined =>
  order.maxCostUsd === undefined
    ? undefined
    : Math.max(order.maxCostUsd - record.run().costUsd, 0.0001);

/** A resumed conversation's bill holds what was paid before. */
function bill({ record, bills }: PlacedWork, end: HeadlessEnd, resumed: string | undefined): void {
  const { conversation, model } = end;
  const before = resumed === undefined ? NOTHING : (bills.get(resumed) ?? NOTHING);
  const total = end.bill ?? {
    costUsd: before.costUsd,
    inputTokens: before.inputTokens + end.used.inputTokens,
    outputTokens: before.outputTokens + end.used.outputTokens,
  };
  if (conversation !== undefined) bills.set(conversation, total);
  const run = record.run();
  const more = (now: number, then: number): number => Math.max(0, now - then);
  record.update({
    conversation: conversation ?? run.conversation,
    model: model ?? run.model,
    costUsd: run.costUsd + more(total.costUsd, before.costUsd),
    inputTokens: run.inputTokens + more(total.inputTokens, before.inputTokens),
    outputTokens: run.outputTokens + more(total.outputTokens, before.outputTokens),
  });
}

const NOTHING: Bill = { costUsd: 0, inputTokens: 0, outputTokens: 0 };

function sagaTools(work: PlacedWork, state: HookState, onBlocked: () => void): SagaTools {
  const { around, record, order } = work;
  const at = (): string => new Date(around.now()).toISOString();
  return {
    async journal({ kind, title, body }) {
      await around.store.appendJournal(order.storyId, { kind, at: at(), title, body });
      record.note({ type: "journal", kind, title });
      return "Recorded in the journal.";
    },
    async reportBlocker({ title, body }) {
      const entry = { kind: "blocker", at: at(), title, body } as const;
      const { blocker } = await around.store.appendJournal(order.storyId, entry);
      record.note({ type: "journal", kind: "blocker", title }, { isDurable: true });
      state.isBlocked = true;
      onBlocked();
      return `Recorded as blocker ${blocker}. A person will answer it; end your turn now.`;
    },
  };
}
