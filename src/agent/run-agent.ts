// One agent run, for every employer: its time, cost and environment, the sandbox, check-ins with snapshots, and the
// record of all that it does. What differs between employers is in the job.

import { messageOf } from "../errors.ts";
import { meterActivity } from "../machine/processes/process-activity.ts";
import { snapshotChanges } from "../repo/snapshots/snapshot.ts";
import { RUN_MARK } from "../story/definition/names.ts";
import type { AgentEnd, AgentEvent, Outcome } from "./agent.ts";
import { checkInRules, startCheckIns, type CheckIn } from "./check-in.ts";
import type { AgentMeter } from "./cost.ts";
import { drainAgent } from "./budget/drain-agent.ts";
import { startDeadline, type AgentDeadline } from "./deadline.ts";
import { observedHooks } from "./hooks.ts";
import type { AgentControl, AgentJob, Employer } from "./job.ts";
import { cacheVariables, neverCommitted, sandboxPlace } from "./place/sandbox.ts";
import { throttle, type Throttled } from "./throttle.ts";

export interface AgentResult {
  readonly end: AgentEnd;
  /** It used up all of its time. */
  readonly hasTimedOut: boolean;
  /** Why Saga ended it before, as a sentence. */
  readonly stuck: string | undefined;
  /** The last text of the agent. */
  readonly lastWords: string;
}

export async function runAgent(employer: Employer, job: AgentJob): Promise<AgentResult> {
  const { agent, settings, record, env, now } = employer;
  // May fail, so it comes before the timers, which only `finally` below clears.
  const sandbox = job.shell && (await sandboxPlace({ ...job.shell, settings, env }));
  const deadline = startDeadline(job.timeoutMs, employer.stop);
  const ending = newEnding(deadline);
  const snapshots = job.snapshots && snapshotsAtCheckIns(employer, job);
  const mark = [RUN_MARK, record.run().id] as const;
  const activity = meterActivity(mark, () => record.run().agent?.pid);
  const checkIns = startCheckIns(checkInRules(settings), now, onCheckIn, activity.wasActive);
  const meter = employer.meter.start(job.conversation?.resume);
  const drained = drainAgent({
    budget: employer.budget,
    maxCostUsd: job.maxCostUsd,
    hooks: job.hooks(ending.control),
    meter,
    control: ending.control,
    end: deadline.end,
  });
  const jobHooks = drained.hooks;
  const { signal } = deadline;
  const { finalSentence } = ending;
  const observed = { folder: job.folder, record, now, checkIns, signal, finalSentence };
  const hooks = observedHooks(jobHooks, observed);
  let lastWords = "";
  try {
    const end = await agent.run({
      cwd: job.folder,
      worktreeOf: job.worktreeOf,
      env,
      passEnv: settings.claude.passEnv,
      variables: {
        ...(sandbox && ownCaches(employer, sandbox.gitDir)),
        ...job.variables,
        [RUN_MARK]: record.run().id,
      },
      mark,
      taskListId: job.taskListId,
      prompt: job.prompt,
      model: job.model,
      resume: job.conversation?.resume,
      tools: job.tools,
      sagaTools: jobHooks.sagaTools,
      requiredTools: job.requiredTools,
      sandbox,
      hooks,
      meter: drained.meter,
      onStart: record.agentStarted,
      onEvent,
      onAnswer: hooks.onAnswer,
      stop: signal,
    });
    // The agent has ended, but the hook of its last call may still be writing or committing.
    await hooks.settled();
    recordEnd(employer, job, { end, meter });
    const spent = employer.stop.aborted ? undefined : drained.state();
    const outcome: Outcome = spent ? { kind: "over-budget", ...spent } : end.outcome;
    return {
      end: { ...end, outcome },
      hasTimedOut: deadline.hasPassed(),
      stuck: ending.stuck(),
      lastWords,
    };
  } finally {
    drained.close();
    checkIns.end();
    deadline.clear();
    await snapshots?.end();
    await jobHooks.settled?.();
    if (sandbox && job.shell) agent.removeOwnFiles(job.folder, job.shell.repository.commonDir);
  }

  function onEvent(event: AgentEvent): void {
    if (event.type === "agent.retries") checkIns.retried();
    if (event.type === "agent.said") lastWords = event.text;
    record.note(event);
  }

  function onCheckIn({ toolUses, silent, inFlight, stuck }: CheckIn): void {
    record.note({ type: "check-in", toolUses, silent, inFlight });
    // Written only when it changes: other processes read the run's record.
    if ((record.run().silentCheckIns ?? 0) !== silent)
      record.update({ silentCheckIns: silent }, { isDurable: false });
    snapshots?.request();
    jobHooks.onCheckIn?.();
    if (stuck !== undefined && !jobHooks.isBusy?.()) ending.control.endAsStuck(stuck);
  }
}

/** How long an agent may take to end after its final answer. */
const FINAL_GRACE_MS = 30_000;

interface Ending {
  readonly control: AgentControl;
  readonly stuck: () => string | undefined;
  readonly finalSentence: () => string | undefined;
}

/** Why a run has to end. The first reason counts. */
function newEnding({ signal, end, allowGrace }: AgentDeadline): Ending {
  let stuck: string | undefined;
  let finalSentence: string | undefined;
  return {
    control: {
      signal,
      finish(sentence) {
        finalSentence ??= sentence;
        allowGrace(FINAL_GRACE_MS);
      },
      endAsStuck(reason) {
        if (signal.aborted) return;
        stuck = reason;
        end();
      },
    },
    stuck: () => stuck,
    finalSentence: () => finalSentence,
  };
}

/** Package managers' caches of the worktree, except where the settings pass on the person's own. */
function ownCaches({ settings, env }: Employer, gitDir: string): Record<string, string> {
  const isPassed = (name: string): boolean =>
    settings.claude.passEnv.includes(name) && env[name] !== undefined;
  return Object.fromEntries(
    Object.entries(cacheVariables(gitDir)).filter(([name]) => !isPassed(name)),
  );
}

function recordEnd(
  { record }: Employer,
  job: AgentJob,
  { end, meter }: { readonly end: AgentEnd; readonly meter: AgentMeter },
): void {
  const unbilled = meter.unbilled();
  // For the log, and for a run that resumes the conversation.
  if (unbilled) record.note({ type: "agent.billed", ...unbilled, isEstimate: true });
  if (!job.conversation) return;
  const { conversation, model } = record.run();
  record.update({ conversation: end.conversation ?? conversation, model: end.model ?? model });
}

const SNAPSHOT_REASON = "at a check-in";

/** One at a time: a check-in while a snapshot is taken asks for one more at most. */
function snapshotsAtCheckIns(employer: Employer, { folder, snapshots }: AgentJob): Throttled {
  const { record } = employer;
  const take = async (): Promise<void> => {
    if (!snapshots) return;
    const { git, storyId, prepare, onSaved } = snapshots;
    prepare?.();
    const exclude = neverCommitted({ ...employer, folder, exclude: snapshots.exclude });
    const saved = await snapshotChanges({ git, storyId, why: SNAPSHOT_REASON, exclude });
    if (saved) record.note({ type: "kept", ref: saved.ref, why: SNAPSHOT_REASON });
    if (saved) await onSaved?.(saved);
  };
  return throttle(take, 0, (error) => record.warn(`The snapshot failed: ${messageOf(error)}`));
}
