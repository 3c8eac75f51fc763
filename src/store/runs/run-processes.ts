// What runs have left running, and its end. Known by the mark in its environment and by the process
// that the run names: nothing else is ever ended.

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

/** Runs that nobody ended: their workers are dead, their agents may not be. */
export const unfinished = (runs: readonly Run[]): Run[] =>
  runs.filter((run) => run.endedAt === undefined);

/** What a run has started and what still lives of it, wherever it hangs in the tree. */
export const processesOf = ({ id, agent }: Run): KnownProcess[] => [
  ...(agent && livenessOf(agent) === "alive" ? processTree(agent) : []),
  ...processesWith(RUN_MARK, id),
];

/** Answers with how many there were. */
export async function endLeftovers(runs: readonly Run[]): Promise<number> {
  const found = runs.flatMap(processesOf);
  await endProcesses(found, { graceMs: GRACE_MS });
  return new Set(found.map(({ pid }) => pid)).size;
}

/** What they left is taken over: nobody has to look at them again. */
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
