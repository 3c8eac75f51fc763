import { pause } from "../../../machine/processes/timer.ts";
import { SagaError } from "../../../errors.ts";
import { livenessOf } from "../../../machine/processes/process-id.ts";
import type { Store } from "../../../store/store.ts";
import { killedEvent } from "../../../story/state/killed-run.ts";
import { isPoolName } from "../../../story/definition/names.ts";
import type { Run, RunEvent } from "../../../story/state/run.ts";
import { awaitRun, lastWorkerRun } from "../../watch/await-run.ts";
import type { Build } from "../../program/command.ts";
import type { Io } from "../../program/io.ts";
import { hasRunEnded } from "../../../store/runs/run-processes.ts";
import { lastLines, logLine } from "../../output/event-lines.ts";
import { painter } from "../../output/terminal.ts";
import { writePaged } from "../../viewer/pager.ts";
import { wholeNumber } from "../../program/parse-number.ts";

interface Options {
  readonly follow?: boolean;
  readonly run?: string;
  readonly tail?: number;
  readonly json?: boolean;
}

const POLL_MS = 200;

export const build: Build = (builder) =>
  builder.action(
    builder
      .command("logs", "Show what a worker did in its current or last run.", [
        "saga logs add-login -f                    follow it until it ends",
        "saga logs add-login -n 50                 only the last lines",
        "saga logs add-login --run 20261115T214800123Z-1a2b3c",
        "saga logs add-login --json                the events as they were recorded",
      ])
      .argument("<story>", "the story, or a worker of the pool")
      .option("-f, --follow", "follow until the run ends; with --json one event per line")
      .option(
        "-n, --tail <lines>",
        "show only the last lines; with --json the last events",
        wholeNumber(),
      )
      .option("--run <id>", "an earlier run; `saga show` lists them"),
    async ({ io, openProject }, [storyId = ""], options: Options) => {
      const store = openProject();
      const run = await findRun(store, storyId, options, io);
      const paint = painter(io.hasColour);
      if (!options.follow) {
        const { events: recorded } = await store.readEvents(storyId, run.id);
        const killed = wasKilled(run) ? killedEvent(recorded, run) : undefined;
        const events = killed ? [...recorded, killed] : recorded;
        const { tail } = options;
        const json = { run, events: tail === undefined ? events : lastOf(events, tail) };
        if (events.length === 0) return { json, text: () => "Nothing yet.\n" };
        const text = (): string => events.map((event) => logLine(event, paint)).join("");
        if (tail !== undefined) return { json, text: () => lastLines(text(), tail) };
        // A whole log is long: in a terminal it goes to the pager.
        if (!options.json) writePaged(io, text());
        return { json, text: () => "" };
      }
      const linesOf = (event: RunEvent): string =>
        options.json ? `${JSON.stringify(event)}\n` : logLine(event, paint);
      let { tail } = options;
      const show = (events: readonly RunEvent[]): void => {
        const text = events.map(linesOf).join("");
        io.writeOut(tail === undefined ? text : lastLines(text, tail));
        // New events are always shown.
        tail = undefined;
      };
      await follow(store, run, show, io.untilStopped());
      return { json: undefined, text: () => "" };
    },
  );

/** The next worker adds this event to the log; until then it is added here. */
const wasKilled = (run: Run): boolean =>
  run.worker !== undefined && run.outcome === undefined && hasRunEnded(run);

const lastOf = <T>(all: readonly T[], count: number): readonly T[] =>
  count === 0 ? [] : all.slice(-count);

/** With --follow, waits for a run that has just been started. */
async function findRun(
  store: Store,
  storyId: string,
  { run: runId, follow: isFollowing = false }: Options,
  io: Io,
): Promise<Run> {
  const runs = await store.listRuns(storyId);
  // A pool worker has runs but no story. A story whose files are invalid or gone still shows its log.
  if (runs.length === 0 && !isPoolName(storyId)) await store.viewStory(storyId);
  if (isFollowing && runId === undefined) {
    const awaited = await awaitRun(store, storyId, io);
    if (awaited) return awaited;
  } else {
    const found = runId === undefined ? lastWorkerRun(runs) : runs.find(({ id }) => id === runId);
    if (found) return found;
  }
  throw isPoolName(storyId) ? noPoolRun(storyId, runId) : noRun(storyId, runId);
}

const noRun = (storyId: string, runId: string | undefined): SagaError =>
  new SagaError(
    "not-found",
    runId === undefined
      ? `The story ${storyId} has no runs yet.`
      : `The story ${storyId} has no run ${runId}.`,
    {
      hint:
        runId === undefined
          ? `Start one: \`saga run ${storyId}\`.`
          : `\`saga show ${storyId}\` lists its newest runs; with \`--json\` all of them.`,
    },
  );

/** A pool worker has a run per task; the daemon has none. */
const noPoolRun = (name: string, runId: string | undefined): SagaError =>
  new SagaError(
    "not-found",
    runId === undefined
      ? `The pool worker ${name} has no runs yet.`
      : `The pool worker ${name} has no run ${runId}.`,
    {
      hint: `\`saga auto status\` shows the workers; \`saga attach ${name}\` watches its session.`,
    },
  );

/** Shows events until the run has ended or its worker is dead. A run without a worker is complete when written. */
async function follow(
  store: Store,
  run: Run,
  show: (events: readonly RunEvent[]) => void,
  stop: AbortSignal,
): Promise<void> {
  let offset = 0;
  let last: RunEvent | undefined;
  for (;;) {
    const isDead = run.worker ? livenessOf(run.worker) === "dead" : run.endedAt !== undefined;
    const { events, nextOffset } = await store.readEvents(run.story, run.id, offset);
    offset = nextOffset;
    show(events);
    last = events.at(-1) ?? last;
    const hasEnded = events.some(({ type }) => type === "run.ended" || type === "run.killed");
    if (isDead && !hasEnded && wasKilled(run)) showKilled(run, last, show);
    if (hasEnded || isDead || stop.aborted) return;
    await pause(POLL_MS, stop);
  }
}

function showKilled(
  run: Run,
  last: RunEvent | undefined,
  show: (events: readonly RunEvent[]) => void,
): void {
  const killed = killedEvent(last ? [last] : [], run);
  if (killed) show([killed]);
}
