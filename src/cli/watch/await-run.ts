// Finds the run to follow for `saga logs -f`. It may not have started yet: a worker writes its first record some time
// after `saga run` has returned, later on a busy machine.

import { pause } from "../../machine/processes/timer.ts";
import { storyLease } from "../../store/leases/lease-names.ts";
import type { Store } from "../../store/store.ts";
import { isPoolName, POOL_DAEMON } from "../../story/definition/names.ts";
import type { Run } from "../../story/state/run.ts";
import type { Io } from "../program/io.ts";
import { plain } from "../output/terminal.ts";
import { hasRunEnded } from "../../store/runs/run-processes.ts";
import { sagaSessions } from "./session-list.ts";

const POLL_MS = 200;
/** How long to wait for a worker that has neither a session nor a lease yet. */
const START_WAIT_MS = 3_000;
/** Longer, because each poll starts a tmux process. */
const TMUX_POLL_MS = 500;

/** The run in progress, or the next one if a worker is starting; else the last one, if any. */
export async function awaitRun(
  store: Store,
  storyId: string,
  io: Pick<Io, "env" | "untilStopped" | "writeError">,
  startWaitMs = START_WAIT_MS,
): Promise<Run | undefined> {
  const stop = io.untilStopped();
  const from = performance.now();
  for (let hasAnnounced = false; ;) {
    const known = lastWorkerRun(await store.listRuns(storyId));
    if (known && !hasRunEnded(known)) return known;
    // `saga run` returns after its session exists. If there is an earlier run, no need to wait for a hidden worker.
    const isLate = known !== undefined || performance.now() - from >= startWaitMs;
    // Before the second listing: an owner that exits in between has its run in that listing.
    const owner = isLate ? await currentOwner(store, storyId, io.env) : undefined;
    const newest = isLate ? lastWorkerRun(await store.listRuns(storyId)) : known;
    if (newest && !hasRunEnded(newest)) return newest;
    const isHopeless = isLate && (owner === undefined || isBetweenTasks(storyId, newest));
    if (isHopeless || stop.aborted) return newest;
    if (owner !== undefined && !hasAnnounced) {
      hasAnnounced = true;
      io.writeError(
        `Waiting for the run of ${storyId} to start (${plain(owner)}). Press Ctrl-C to stop waiting.\n`,
      );
    }
    await pause(isLate ? TMUX_POLL_MS : POLL_MS, stop);
  }
}

/** A person's decision, such as a merge, is recorded as a run without a worker and has no log. */
export const lastWorkerRun = (runs: readonly Run[]): Run | undefined =>
  runs.find(({ worker, endedAt }) => worker !== undefined || endedAt === undefined) ?? runs[0];

/** A pool worker may be idle for hours, so its last run is shown. */
const isBetweenTasks = (name: string, newest: Run | undefined): boolean =>
  isPoolName(name) && newest !== undefined;

/** The lease's owner, or the name of a session that has just started. */
async function currentOwner(
  store: Store,
  storyId: string,
  env: Io["env"],
): Promise<string | undefined> {
  // The daemon itself never has a run.
  if (storyId === POOL_DAEMON) return undefined;
  const lease = await store.leases.read(storyLease(storyId));
  if (lease?.life === "alive") return lease.record.owner;
  const sessions = await sagaSessions(env);
  return sessions.find((one) => one.storyId === storyId && one.folder === store.project)?.name;
}
