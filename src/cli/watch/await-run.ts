// The run that a person wants to follow. It may be about to begin: between `saga run` and the first record of a
// worker lies the start of a program, and a busy machine takes its time for that.

import { setTimeout as wait } from "node:timers/promises";
import { storyLease } from "../../store/leases/lease-names.ts";
import type { Store } from "../../store/store.ts";
import { isPoolName, POOL_DAEMON } from "../../story/definition/names.ts";
import type { Run } from "../../story/state/run.ts";
import type { Io } from "../program/io.ts";
import { plain } from "../output/terminal.ts";
import { isRunOver } from "./run-over.ts";
import { sagaSessions } from "./session-list.ts";

type Around = Pick<Io, "env" | "untilStopped" | "writeError">;

/** Often enough to look live, seldom enough to cost nothing. */
const LOOK_EVERY_MS = 200;
/** For a worker that nobody can see yet. */
const PATIENCE_MS = 3_000;
/** From then on it is also asked who is there, and tmux is a program to start each time. */
const ASK_EVERY_MS = 500;

/** The newest run, when it goes on or is about to; else the last one that is over, or nothing. */
export async function awaitRun(
  store: Store,
  storyId: string,
  io: Around,
  patienceMs = PATIENCE_MS,
): Promise<Run | undefined> {
  const stop = io.untilStopped();
  const from = performance.now();
  for (let hasSaid = false; ;) {
    const known = lastOfWorker(await store.listRuns(storyId));
    if (known && !isRunOver(known)) return known;
    // `saga run` returns when its session is there: where the last run is over, nobody unseen is about to begin.
    const isLate = known !== undefined || performance.now() - from >= patienceMs;
    // Asked before the runs are listed again: whatever those who have gone since have begun is seen then.
    const starter = isLate ? await whoIsThere(store, storyId, io.env) : undefined;
    const newest = isLate ? lastOfWorker(await store.listRuns(storyId)) : known;
    if (newest && !isRunOver(newest)) return newest;
    const isHopeless = isLate && (starter === undefined || isBetweenTasks(storyId, newest));
    if (isHopeless || stop.aborted) return newest;
    if (starter !== undefined && !hasSaid) {
      hasSaid = true;
      io.writeError(
        `Waiting for the run of ${storyId} to begin (${plain(starter)} is there). Ctrl-C ends the waiting.\n`,
      );
    }
    const pauseMs = isLate ? ASK_EVERY_MS : LOOK_EVERY_MS;
    await wait(pauseMs, undefined, { signal: stop }).catch(() => undefined);
  }
}

/** What a person decided afterwards, a merge for example, is a run of its own and has no log. */
export const lastOfWorker = (runs: readonly Run[]): Run | undefined =>
  runs.find(({ worker, endedAt }) => worker !== undefined || endedAt === undefined) ?? runs[0];

/** A worker of the pool may have nothing to do for hours: until then its last run is the answer. */
const isBetweenTasks = (name: string, newest: Run | undefined): boolean =>
  isPoolName(name) && newest !== undefined;

/** Who has the story, or is about to take it, in words a person understands. */
async function whoIsThere(
  store: Store,
  storyId: string,
  env: Io["env"],
): Promise<string | undefined> {
  // The daemon works on nothing itself: waiting for a run of its own would have no end.
  if (storyId === POOL_DAEMON) return undefined;
  const claim = await store.leases.read(storyLease(storyId));
  if (claim?.life === "alive") return claim.record.owner;
  const sessions = await sagaSessions(env);
  return sessions.find((one) => one.storyId === storyId && one.folder === store.project)?.name;
}
