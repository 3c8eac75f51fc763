// Stops a worker: SIGTERM first, so that it can commit and clean up. If it takes too long, its processes are killed and
// the cleanup is done here.

import type { Environment } from "../../machine/processes/environment.ts";
import { askToEnd } from "../../machine/processes/ask-to-end.ts";
import { livenessOf, startTimeOf } from "../../machine/processes/process-id.ts";
import { endProcesses, processTree } from "../../machine/processes/process-tree.ts";
import { waitUntil } from "../../machine/processes/timer.ts";
import { openTmux } from "../../machine/programs/tmux.ts";
import { layoutOf } from "../../store/project/layout.ts";
import { storyLease } from "../../store/leases/lease-names.ts";
import type { LeaseRecord } from "../../store/leases/leases.ts";
import { processesOf, unfinished } from "../../store/runs/run-processes.ts";
import { requestStop } from "../../store/leases/stop-request.ts";
import type { Store } from "../../store/store.ts";
import { stopElsewhere } from "../fleet/stop-elsewhere.ts";
import { sagaSessions, type SagaSession } from "./session-list.ts";

export type StopOutcome = "not-running" | "stopped" | "ended-hard";

const GRACE_MS = 20_000;
const HARD_GRACE_MS = 5_000;

export async function stopStory(
  store: Store,
  storyId: string,
  env: Environment,
  /** Runs a worker that only cleans up after the killed one. */
  tidyUp: () => Promise<unknown>,
): Promise<StopOutcome> {
  if (await stopElsewhere({ store, env }, storyId)) return "stopped";
  requestStop(layoutOf(store.project), storyId, Date.now());
  await markKilledAsStopped(store, storyId);
  const lease = await store.leases.read(storyLease(storyId));
  const worker = lease?.life === "alive" ? lease.record : undefined;
  const hasExited = worker === undefined || (await terminate(store, storyId, worker));
  const hadSession = await endSessions(store, storyId, env);
  const hasLeftovers = await endProcessesOf(store, storyId, worker);
  if (hasLeftovers) await tidyUp();
  if (worker === undefined && !hadSession && !hasLeftovers) return "not-running";
  return hasExited ? "stopped" : "ended-hard";
}

/** A killed run would be resumed automatically; now a person wants it stopped. */
async function markKilledAsStopped(store: Store, storyId: string): Promise<void> {
  const [last] = await store.listRuns(storyId);
  if (last?.outcome !== "killed") return;
  const log = await store.openRun(last);
  log.update({ outcome: "stopped" });
  log.close();
}

/** Sends SIGTERM. Returns whether the worker released its lease and exited. */
async function terminate(store: Store, storyId: string, worker: LeaseRecord): Promise<boolean> {
  if ((await askToEnd(worker, GRACE_MS)) !== "ended") return false;
  const lease = await store.leases.read(storyLease(storyId));
  // In a fleet the same pid may belong to a worker on another machine.
  return lease?.record.pid !== worker.pid || lease.record.place !== worker.place;
}

/** Includes a session whose worker has not acquired its lease yet. */
async function endSessions(store: Store, storyId: string, env: Environment): Promise<boolean> {
  const isOwn = (session: SagaSession): boolean =>
    session.storyId === storyId && session.folder === store.project;
  const found = (await sagaSessions(env)).filter(isOwn);
  for (const { name } of found) await openTmux(env).end(name);
  for (const { pid } of found) {
    const startTime = startTimeOf(pid);
    const isGone = (): boolean => startTime === undefined || startTimeOf(pid) !== startTime;
    await waitUntil(isGone, { maxMs: GRACE_MS, pollMs: 20 });
  }
  return found.length > 0;
}

/** Kills what a worker left running. */
async function endProcessesOf(
  store: Store,
  storyId: string,
  worker: LeaseRecord | undefined,
): Promise<boolean> {
  const runs = unfinished(await store.listRuns(storyId));
  if (runs.length === 0) return false;
  const processes = [
    ...(worker && livenessOf(worker) === "alive" ? processTree(worker) : []),
    ...runs.flatMap(processesOf),
  ];
  await endProcesses(processes, { graceMs: HARD_GRACE_MS });
  return true;
}
