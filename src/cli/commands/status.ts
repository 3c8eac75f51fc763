import { lifeOf } from "../../machine/process.ts";
import type { SeenDaemon } from "../../store/daemon-files.ts";
import type { Overview, StoryView } from "../../store/overview.ts";
import type { Store } from "../../store/store.ts";
import { count } from "../../story/count.ts";
import type { Run } from "../../story/run.ts";
import type { StoryState } from "../../story/state.ts";
import { duration } from "../ago.ts";
import { claimedStories } from "../at-work.ts";
import type { Build } from "../command.ts";
import { inFlightIn, inFlightLine } from "../in-flight-line.ts";
import { leftOut } from "../left-out.ts";
import { plain, stateMark, stateName, type Paint } from "../output.ts";
import { poolJson, poolLines, runningPools } from "../pool-look.ts";
import { cutOffIn, tellOfCutOff } from "../tell.ts";

const NEEDS_YOU: ReadonlySet<StoryState> = new Set([
  "blocked",
  "failed",
  "stalled",
  "interrupted",
  "review",
]);

/** What to do about each. */
const NEXT: Readonly<Partial<Record<StoryState, (id: string) => string>>> = {
  blocked: (id) => `saga resolve ${id} "…"`,
  failed: (id) => `saga logs ${id}`,
  interrupted: (id) => `saga resume ${id}`,
  stalled: (id) => `saga logs ${id} -f`,
  review: (id) => `saga show ${id}`,
};

interface AtWork {
  readonly view: StoryView;
  readonly run: Run | undefined;
  readonly lastToolUse: string | undefined;
}

export const build: Build = (shell) =>
  shell.action(
    shell.command("status", "Show what is running now, and what needs you.", [
      "saga status",
      "saga status --json",
    ]),
    async ({ io, openProject }) => {
      const store = openProject();
      const { stories, problems } = await store.overview();
      const views = [...stories.values()];
      const running: AtWork[] = [];
      for (const view of views) {
        if (view.state === "running" || view.state === "stalled")
          running.push(await look(store, view));
      }
      const waiting = views.filter(({ state }) => NEEDS_YOU.has(state));
      const pools = runningPools(store.project);
      const unreadable = problems.length === 0 ? [] : await unreadableAtWork(store, stories);
      await tellOfCutOff({ io, store }, cutOffIn(views));
      return {
        json: {
          running: running.map(json),
          unreadable,
          needsYou: waiting.map(needJson),
          inFlight: inFlightIn(views),
          pools: pools.map(poolJson),
          problems,
        },
        text: (paint) => render({ running, unreadable, waiting, pools, problems }, paint),
      };
    },
  );

/** They have a living worker, and files that tell nothing: somebody has to know of them. */
async function unreadableAtWork(store: Store, stories: Overview["stories"]): Promise<string[]> {
  // A lease that tells nothing itself is among the problems.
  const claimed = await claimedStories(store).catch(() => []);
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

const json = ({ view, run, lastToolUse }: AtWork) => ({
  story: view.record.id,
  state: view.state,
  session: run?.session,
  startedAt: run?.startedAt,
  lastToolUse,
  costUsd: run?.costUsd,
  tasks: progress(view),
});

const needJson = (view: StoryView) => ({
  story: view.record.id,
  state: view.state,
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
  readonly waiting: readonly StoryView[];
  readonly pools: readonly SeenDaemon[];
}

function render(shown: Shown, paint: Paint): string {
  const { running, unreadable, waiting, pools } = shown;
  const isIdle = running.length + unreadable.length + pools.length === 0;
  const parts = [
    isIdle ? ["Nothing is running."] : runningLines(running, unreadable, paint),
    poolLines(pools, paint),
    waitingLines(waiting, paint),
    leftOut(shown, paint),
    inFlightLine(inFlightIn(waiting), paint),
  ];
  return `${parts
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n")}\n`;
}

function runningLines(
  running: readonly AtWork[],
  unreadable: readonly string[],
  paint: Paint,
): string[] {
  const nowMs = Date.now();
  const lines = running.map(({ view, run, lastToolUse }) => {
    const { completed, total, inHand } = progress(view);
    const parts = [
      `${completed} of ${count(total, "task")}`,
      ...inHand,
      run && `for ${duration(nowMs - Date.parse(run.startedAt))}`,
      lastToolUse && `last tool use ${duration(nowMs - Date.parse(lastToolUse))} ago`,
      run && run.costUsd > 0 && `$${run.costUsd.toFixed(2)}`,
    ].filter(Boolean);
    return `  ${stateMark(view.state, paint)} ${view.record.id}  ${paint("dim", parts.join(", "))}`;
  });
  const silent = unreadable.map(
    (id) => `  ${stateMark("running", paint)} ${id}  ${paint("dim", "its files cannot be read")}`,
  );
  const all = [...lines, ...silent];
  return all.length === 0 ? [] : [paint("bold", "Running"), ...all];
}

function waitingLines(waiting: readonly StoryView[], paint: Paint): string[] {
  const lines = waiting.flatMap((view) => {
    const { id } = view.record;
    const next = NEXT[view.state]?.(id) ?? "";
    return [
      `  ${stateMark(view.state, paint)} ${id}  ${stateName(view.state, paint)}  ${paint("dim", next)}`,
      ...view.openBlockers.map(({ blocker, title }) => `      ${blocker}: ${plain(title)}`),
    ];
  });
  return lines.length === 0 ? [] : [paint("bold", "Needs you"), ...lines];
}
