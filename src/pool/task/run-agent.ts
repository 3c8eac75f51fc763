// One headless run of the agent on a task, from a prompt to its end. The next may go on in the same
// conversation.

import { startDeadline } from "../../agent/deadline.ts";
import { budgetLeft } from "../../agent/cost.ts";
import { checkInRules, startCheckIns, type CheckIn } from "../../agent/check-in.ts";
import { agentEnvironment } from "../../claude/environment.ts";
import { headlessRun, WORK_TOOLS, type HeadlessEnd } from "../../claude/run.ts";
import { TASK_TOOLS } from "../../claude/probe.ts";
import type { BlockerQuestion } from "../../claude/report-blocker.ts";
import { cacheVariables } from "../../claude/sandbox/settings.ts";
import { sandboxPlace } from "../../claude/sandbox/paths.ts";
import { clearStubs, stubPlaces } from "../../claude/sandbox/stubs.ts";
import { messageOf, messageWithHint } from "../../errors.ts";
import { realStateFolder } from "../../machine/files/state-folder.ts";
import { pluginFolder } from "../../claude/plugin.ts";
import { meterActivity } from "../../machine/processes/process-activity.ts";
import { snapshotChanges } from "../../repo/snapshots/snapshot.ts";
import { environmentOfStory, RUN_MARK } from "../../story/definition/names.ts";
import { FINISH, poolServer, type Finish } from "./tools.ts";
import { taskAgentHooks } from "./agent-hooks.ts";
import type { PreparedTaskWork } from "./context.ts";

export interface TaskAgentRequest {
  readonly prompt: string;
  readonly resume: string | undefined;
  readonly deadlineMs: number;
  /** Why what it says it has done does not count, for the agent; nothing when it does. */
  readonly whyNotFinished: (finish: Finish) => Promise<string | undefined>;
}

export interface TaskAgentResult {
  readonly end: HeadlessEnd;
  readonly finish: Finish | undefined;
  readonly question: BlockerQuestion | undefined;
  /** What it said last. */
  readonly lastWords: string;
  readonly hasTimedOut: boolean;
  /** Why it was stopped from outside, as a sentence. */
  readonly stuck: string | undefined;
}

/** How long an agent that has said all may take to say goodbye. */
const FINAL_GRACE_MS = 30_000;

export async function runTaskAgent(
  work: PreparedTaskWork,
  turn: TaskAgentRequest,
): Promise<TaskAgentResult> {
  const { worker, record } = work;
  const { settings, now, repository, env } = worker;
  // Before there is a timer that nobody would end.
  const sandbox = await sandboxPlace({ env, settings, repository, gitDir: work.gitDir });
  const deadline = startDeadline(turn.deadlineMs - now(), worker.stop);
  const said: { finish?: Finish; question?: BlockerQuestion; words: string } = { words: "" };
  let stuckBy: string | undefined;
  const keeping = keepAtCheckIns(work);
  const meter = meterActivity([RUN_MARK, record.run().id], () => record.run().agent?.pid);
  const watch = startCheckIns(checkInRules(settings), now, onCheckIn, meter.wasActive);
  const hooks = taskAgentHooks({
    record,
    watch,
    now,
    stop: deadline.signal,
    scope: {
      project: repository.project,
      worktree: work.worktree,
      storyId: worker.name,
      readable: work.readable,
      hidden: [realStateFolder(worker.env)],
      isSandboxed: settings.claude.sandbox,
    },
    list: worker.listFolder,
    made: work.made,
    isOver: () => said.finish !== undefined || said.question !== undefined,
    onTool: () => worker.say({ lastToolAt: new Date(now()).toISOString() }),
  });
  try {
    const end = await headlessRun({
      claude: worker.claude,
      cwd: work.worktree,
      env: { ...(sandbox && cacheVariables(work.gitDir)), ...environmentOf(work) },
      mark: [RUN_MARK, record.run().id],
      taskListId: worker.list,
      prompt: turn.prompt,
      model: work.request.model,
      resume: turn.resume,
      maxCostUsd: budgetLeft(work),
      meter: work.meter.start(turn.resume),
      moreTools: settings.claude.tools,
      sandbox,
      hooks,
      onAnswer: hooks.onAnswer,
      kit: {
        tools: WORK_TOOLS,
        required: [...TASK_TOOLS, FINISH],
        server: (sdk) => poolServer(sdk, { finish, reportBlocker }),
      },
      onStart: record.agentStarted,
      onEvent(event) {
        if (event.type === "agent.retries") watch.retried();
        if (event.type === "agent.said") said.words = event.text;
        record.note(event);
      },
      stop: deadline.signal,
    });
    const { conversation, model } = end;
    record.update({
      cycles: record.run().cycles + 1,
      conversation: conversation ?? record.run().conversation,
      model: model ?? record.run().model,
    });
    const { finish: handedIn, question, words } = said;
    return {
      end,
      finish: handedIn,
      question,
      lastWords: words,
      hasTimedOut: deadline.hasPassed(),
      stuck: stuckBy,
    };
  } finally {
    watch.end();
    deadline.clear();
    await keeping.settled();
    if (sandbox) clearStubs(work.worktree, repository.commonDir);
  }

  async function finish(handedIn: Finish): Promise<string> {
    const why = await turn.whyNotFinished(handedIn).catch(messageWithHint);
    if (why !== undefined) return why;
    said.finish ??= handedIn;
    deadline.allowGrace(FINAL_GRACE_MS);
    return "Handed in. End your turn now.";
  }

  async function reportBlocker(question: BlockerQuestion): Promise<string> {
    said.question ??= question;
    record.note({ type: "journal", kind: "blocker", title: question.title }, { isDurable: true });
    deadline.allowGrace(FINAL_GRACE_MS);
    return "A person will answer it. End your turn now.";
  }

  function onCheckIn({ toolUses, silent, inFlight, stuck }: CheckIn): void {
    record.note({ type: "check-in", toolUses, silent, inFlight });
    if ((record.run().silentCheckIns ?? 0) !== silent) record.update({ silentCheckIns: silent });
    keeping.ask();
    if (stuck === undefined) return;
    stuckBy ??= stuck;
    deadline.end();
  }
}

const environmentOf = ({
  worker,
  worktree,
  ports,
  record,
}: PreparedTaskWork): Record<string, string> =>
  agentEnvironment(worker.env, {
    taskListId: worker.list,
    story: {
      ...environmentOfStory({
        storyId: worker.name,
        taskListId: worker.list,
        projectDir: worktree,
        sessionDir: worker.sessionDir,
        pluginRoot: pluginFolder(),
      }),
      ...ports,
      [RUN_MARK]: record.run().id,
    },
    pass: worker.settings.claude.passEnv,
  });

/** One after the other; a check-in that finds the last still at work makes none. */
function keepAtCheckIns(work: PreparedTaskWork): { ask: () => void; settled: () => Promise<void> } {
  const { git, worker, record, exclude, worktree } = work;
  const why = "at a check-in";
  let running: Promise<void> | undefined;
  const keep = async (): Promise<void> => {
    // Another call of the same turn may be running in the sandbox.
    const stubs = worker.settings.claude.sandbox ? stubPlaces(worktree) : [];
    const asked = { git, storyId: worker.name, why, exclude: [...exclude, ...stubs] };
    const kept = await snapshotChanges(asked);
    if (kept) record.note({ type: "kept", ref: kept.ref, why });
  };
  return {
    ask() {
      running ??= keep()
        .catch((error: unknown) => record.warn(`It could not be kept: ${messageOf(error)}`))
        .finally(() => (running = undefined));
    },
    settled: async () => running,
  };
}
