// One agent run on a task, from a prompt to its end. The next run may continue the same conversation. Its
// counterpart for stories is `worker/agent/run-agent.ts`.

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
  /** Why the agent's finish is not accepted, for the agent; undefined if it is. */
  readonly whyNotFinished: (finish: Finish) => Promise<string | undefined>;
}

export interface TaskAgentResult {
  readonly end: HeadlessEnd;
  readonly finish: Finish | undefined;
  readonly question: BlockerQuestion | undefined;
  /** The last text of the agent. */
  readonly lastWords: string;
  readonly hasTimedOut: boolean;
  /** Why Saga stopped it, as a sentence. */
  readonly stuck: string | undefined;
}

/** How long an agent may take to end after finish or a question. */
const FINAL_GRACE_MS = 30_000;

export async function runTaskAgent(
  work: PreparedTaskWork,
  request: TaskAgentRequest,
): Promise<TaskAgentResult> {
  const { worker, record } = work;
  const { settings, now, repository, env } = worker;
  // May fail, so it comes before the deadline's timer, which only `finally` below clears.
  const sandbox = await sandboxPlace({ env, settings, repository, gitDir: work.gitDir });
  const deadline = startDeadline(request.deadlineMs - now(), worker.stop);
  const answer: { finish?: Finish; question?: BlockerQuestion; words: string } = { words: "" };
  let stuckReason: string | undefined;
  const snapshots = snapshotAtCheckIns(work);
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
    isOver: () => answer.finish !== undefined || answer.question !== undefined,
    onTool: () => worker.say({ lastToolAt: new Date(now()).toISOString() }),
  });
  try {
    const end = await headlessRun({
      claude: worker.claude,
      cwd: work.worktree,
      env: { ...(sandbox && cacheVariables(work.gitDir)), ...taskAgentEnvironment(work) },
      mark: [RUN_MARK, record.run().id],
      taskListId: worker.list,
      prompt: request.prompt,
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
        required: [...TASK_TOOLS, FINISH],
        server: (sdk) => poolServer(sdk, { finish, reportBlocker }),
      },
      onStart: record.agentStarted,
      onEvent(event) {
        if (event.type === "agent.retries") watch.retried();
        if (event.type === "agent.said") answer.words = event.text;
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
    const { finish: finished, question, words } = answer;
    return {
      end,
      finish: finished,
      question,
      lastWords: words,
      hasTimedOut: deadline.hasPassed(),
      stuck: stuckReason,
    };
  } finally {
    watch.end();
    deadline.clear();
    await snapshots.settled();
    if (sandbox) clearStubs(work.worktree, repository.commonDir);
  }

  async function finish(finished: Finish): Promise<string> {
    const why = await request.whyNotFinished(finished).catch(messageWithHint);
    if (why !== undefined) return why;
    answer.finish ??= finished;
    deadline.allowGrace(FINAL_GRACE_MS);
    return "Accepted. End your turn now.";
  }

  async function reportBlocker(question: BlockerQuestion): Promise<string> {
    answer.question ??= question;
    record.note({ type: "journal", kind: "blocker", title: question.title }, { isDurable: true });
    deadline.allowGrace(FINAL_GRACE_MS);
    return "A person will answer it. End your turn now.";
  }

  function onCheckIn({ toolUses, silent, inFlight, stuck }: CheckIn): void {
    record.note({ type: "check-in", toolUses, silent, inFlight });
    if ((record.run().silentCheckIns ?? 0) !== silent) record.update({ silentCheckIns: silent });
    snapshots.request();
    if (stuck === undefined) return;
    stuckReason ??= stuck;
    deadline.end();
  }
}

const taskAgentEnvironment = ({
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

/** One at a time: a check-in makes no snapshot while the last one is running. */
function snapshotAtCheckIns(work: PreparedTaskWork): {
  request: () => void;
  settled: () => Promise<void>;
} {
  const { git, worker, record, exclude, worktree } = work;
  const why = "at a check-in";
  let running: Promise<void> | undefined;
  const keep = async (): Promise<void> => {
    // Another tool call of the same turn may be running in the sandbox, with its stubs in the worktree.
    const stubs = worker.settings.claude.sandbox ? stubPlaces(worktree) : [];
    const request = { git, storyId: worker.name, why, exclude: [...exclude, ...stubs] };
    const kept = await snapshotChanges(request);
    if (kept) record.note({ type: "kept", ref: kept.ref, why });
  };
  return {
    request() {
      running ??= keep()
        .catch((error: unknown) => record.warn(`The snapshot failed: ${messageOf(error)}`))
        .finally(() => (running = undefined));
    },
    settled: async () => running,
  };
}
