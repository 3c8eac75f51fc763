import { lifeOf } from "../../machine/process.ts";
import type { SeenDaemon } from "../../store/daemon-files.ts";
import type { Overview, StoryView } from "../../store/overview.ts";
import type { Store } from "../../store/store.ts";
import { count } from "../../story/count.ts";
import type { Run } from "../../story/run.ts";
import { usd } from "../../story/usd.ts";
import { duration } from "../ago.ts";
import { claimedStories, epicsAtWork, type EpicRun } from "../at-work.ts";
import type { Build } from "../command.ts";
import { inFlightIn, inFlightLine } from "../in-flight-line.ts";
import { leftOut } from "../left-out.ts";
import { short, stateMark, type Paint } from "../output.ts";
import { NEEDS_YOU, needLines, questionLines } from "../needs-you.ts";
import { poolJson, poolLines, runningPools } from "../pool-look.ts";
import { cutOffIn, tellOfCutOff } from "../tell.ts";

interface AtWork {
  readonly view: StoryView;
  readonly run: Run | undefined;
  readonly lastToolUse: string | undefined;
}

interface Waiting {
  readonly view: StoryView;
  /** Why it failed. */
  readonly reason: string | undefined;
}

export const build: Build = (shell) =>
  shell.action(
    shell.command("status", "Show what is running now, and what needs you.", [
      "saga status",
      "saga status --json",
    ]),
    async ({ io, openProject }) => {
      const store = openProject();
      const { stories, problems: found } = await store.overview();
      const problems = [...found];
      const views = [...stories.values()];
      const running: AtWork[] = [];
      for (const view of views) {
        if (view.state === "running" || view.state === "stalled")
          running.push(await look(store, view));
      }
      const waiting: Waiting[] = [];
      for (const view of views) {
        if (NEEDS_YOU.has(view.state)) waiting.push({ view, reason: await whyFailed(store, view) });
      }
      const pools = runningPools(store.project);
      const epics = await epicsAtWork(store, (problem) => {
        if (!found.some(({ file }) => file === problem.file)) problems.push(problem);
      });
      const unreadable = problems.length === 0 ? [] : await unreadableAtWork(store, stories);
      await tellOfCutOff({ io, store }, cutOffIn(views));
      return {
        json: {
          running: running.map(json),
          unreadable,
          epics: epics.map(epicJson),
          needsYou: waiting.map(needJson),
          inFlight: inFlightIn(views),
          pools: pools.map(poolJson),
          problems,
        },
        text: (paint) => render({ running, unreadable, epics, waiting, pools, problems }, paint),
      };
    },
  );

/** They have a living worker, and files that tell nothing: somebody has to know of them. */
async function unreadableAtWork(store: Store, stories: Overview["stories"]): Promise<string[]> {
  // A lease that tells nothing itself is among the problems.
  const claimed = await claimedStories(store, () => undefined);
  return claimed.flatMap(({ storyId, lease }) =>
    lease.life === "alive" && !stories.has(storyId) ? [storyId] : [],
  );
}

async function look(store: Store, view: StoryView): Promise<AtWork> {
  const [run] = await store.listRuns(view.record.id);
  const isCurrent = run?.worker !== undefined && lifeOf(run.worker) === "alive";
  if (!isCurrent) return { view, run: undefined, lastToolUse: undefined };
  const { events } = await store.readEvents(view.record.id, run.id);
  const last = events.findLast(({ type }) => type.startsWith("tool."));
  return { view, run, lastToolUse: last?.at };
}

/** In its own words: `saga logs` has the rest. */
async function whyFailed(store: Store, { record, state }: StoryView): Promise<string | undefined> {
  return state === "failed" ? (await store.listRuns(record.id))[0]?.reason : undefined;
}

const json = ({ view, run, lastToolUse }: AtWork) => ({
  story: view.record.id,
  state: view.state,
  session: run?.session,
  startedAt: run?.startedAt,
  lastToolUse,
  costUsd: run?.costUsd,
  costIsEstimate: run && (run.costIsEstimate ?? false),
  tasks: progress(view),
});

const epicJson = ({ epicId, lease: { record } }: EpicRun) => ({
  epic: epicId,
  pid: record.pid,
  startedAt: record.takenAt,
});

const needJson = ({ view, reason }: Waiting) => ({
  story: view.record.id,
  state: view.state,
  reason,
  tasks: progress(view),
  questions: view.openBlockers.map(({ blocker, title }) => ({ blocker, title })),
});

const progress = ({ record }: StoryView) => ({
  completed: record.tasks.filter(({ status }) => status === "completed").length,
  inHand: record.tasks.filter(({ status }) => status === "in_progress").map(({ id }) => id),
  total: record.tasks.length,
});

interface Shown extends Pick<Overview, "problems"> {
  readonly running: readonly AtWork[];
  readonly unreadable: readonly string[];
  readonly epics: readonly EpicRun[];
  readonly waiting: readonly Waiting[];
  readonly pools: readonly SeenDaemon[];
}

function render(shown: Shown, paint: Paint): string {
  const { running, unreadable, epics, waiting, pools } = shown;
  const isIdle = running.length + unreadable.length + epics.length + pools.length === 0;
  const parts = [
    isIdle ? ["Nothing is running."] : runningLines(shown, paint),
    poolLines(pools, paint),
    waitingLines(waiting, paint),
    leftOut(shown, paint),
    inFlightLine(inFlightIn(waiting.map(({ view }) => view)), paint),
  ];
  return `${parts
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n")}\n`;
}

function runningLines({ running, unreadable, epics }: Shown, paint: Paint): string[] {
  const nowMs = Date.now();
  const runs = epics.map(({ epicId, lease: { record } }) => {
    const parts = `the epic's run, for ${duration(nowMs - Date.parse(record.takenAt))}`;
    return `  ${stateMark("running", paint)} ${epicId}  ${paint("dim", parts)}`;
  });
  const lines = running.map(({ view, run, lastToolUse }) => {
    const { completed, total, inHand } = progress(view);
    const parts = [
      `${completed} of ${count(total, "task")}`,
      ...inHand,
      run && `for ${duration(nowMs - Date.parse(run.startedAt))}`,
      lastToolUse && `last tool use ${duration(nowMs - Date.parse(lastToolUse))} ago`,
      run && run.costUsd > 0 && usd(run.costUsd, run.costIsEstimate),
    ].filter(Boolean);
    return `  ${stateMark(view.state, paint)} ${view.record.id}  ${paint("dim", parts.join(", "))}`;
  });
  const silent = unreadable.map(
    (id) => `  ${stateMark("running", paint)} ${id}  ${paint("dim", "its files cannot be read")}`,
  );
  const all = [...runs, ...lines, ...silent];
  return all.length === 0 ? [] : [paint("bold", "Running"), ...all];
}

function waitingLines(waiting: readonly Waiting[], paint: Paint): string[] {
  const needs = waiting.map(({ view, reason }) => ({
    id: view.record.id,
    state: view.state,
    about: [...questionLines(view), ...(reason === undefined ? [] : [short(reason)])],
  }));
  const lines = needLines(needs, paint);
  return lines.length === 0 ? [] : [paint("bold", "Needs you"), ...lines];
}
