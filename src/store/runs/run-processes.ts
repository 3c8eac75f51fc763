// Processes that dead workers left running. They are recognised by the run's mark in their environment and by the
// agent's process in the run's record; no other process is ever ended.

import { livenessOf } from "../../machine/processes/process-id.ts";
import {
  endProcesses,
  processesWith,
  processTree,
  type KnownProcess,
} from "../../machine/processes/process-tree.ts";
import { RUN_MARK } from "../../story/definition/names.ts";
import { killedEvent } from "../../story/state/killed-run.ts";
import type { Run } from "../../story/state/run.ts";
import { removeOutputs } from "./session-output.ts";
import type { Store } from "../store.ts";

const GRACE_MS = 5_000;

/** Runs without an end: their workers are dead, their agents may still run. */
export const unfinished = (runs: readonly Run[]): Run[] =>
  runs.filter((run) => run.endedAt === undefined);

/** Also true for a run whose worker was killed before it could record its end. */
export const hasRunEnded = ({ endedAt, worker }: Pick<Run, "endedAt" | "worker">): boolean =>
  endedAt !== undefined || (worker !== undefined && livenessOf(worker) === "dead");

/** The living processes that a run started, wherever they are in the process tree. */
export function processesOf({ id, agent, machine }: Run): KnownProcess[] {
  // Another machine of the fleet may only be silent: nothing of it is ever ended from here.
  if (machine !== undefined) return [];
  return [
    ...(agent && livenessOf(agent) === "alive" ? processTree(agent) : []),
    ...processesWith(RUN_MARK, id),
  ];
}

/** Returns the number of processes. */
export async function endProcessesOf(runs: readonly Run[]): Promise<number> {
  const found = runs.flatMap(processesOf);
  await endProcesses(found, { graceMs: GRACE_MS });
  return new Set(found.map(({ pid }) => pid)).size;
}

/** What dead workers of this name left: ends their processes, and closes their runs. */
export async function endLeftRuns(
  store: Pick<Store, "listRuns" | "openRun" | "readEvents">,
  name: string,
  nowMs: number,
): Promise<void> {
  const killed = unfinished(await store.listRuns(name));
  await endProcessesOf(killed);
  await closeRuns(store, killed, nowMs);
}

/** Records the end of runs whose workers were killed. */
export async function closeRuns(
  store: Pick<Store, "openRun" | "readEvents">,
  runs: readonly Run[],
  nowMs: number,
): Promise<void> {
  for (const run of runs) {
    const { events } = await store.readEvents(run.story, run.id);
    const killed = killedEvent(events, run);
    const log = await store.openRun(run);
    if (killed) log.append(killed, { isDurable: true });
    const endedAt = new Date(nowMs).toISOString();
    const reason = run.reason ?? "Its worker was killed.";
    log.update({ endedAt, reason, ...(run.worker && { outcome: "killed" }) });
    log.close();
  }
  removeOutputs(runs);
}
