// The run of another machine of the fleet, as a record of this one: so its state, log, cost and receipts count here too.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { makeFolder, readTextIfThere, writeDurably } from "../../machine/files/files.ts";
import { runSchema, type Run, type RunEvent } from "../../story/state/run.ts";
import { parseJson } from "../../text/parse-json.ts";
import { formatDocument } from "../project/json-text.ts";
import type { Layout } from "../project/layout.ts";
import { openRun, readEvents, runFolder } from "./runs.ts";

/** Writes the run and the events that are missing here. `eventsFrom`: its events from this number on. */
export async function importRun(
  at: Layout,
  run: Run & { readonly machine: string },
  eventsFrom: (number: number) => Promise<readonly RunEvent[]>,
): Promise<void> {
  const folder = runFolder(at, run.story, run.id);
  const file = join(folder, "run.json");
  const known = runSchema.safeParse(parseJson(readTextIfThere(file) ?? "")).data;
  // A run of this machine: what others say about it does not count.
  if (known && known.machine === undefined) return;
  // Nothing follows the end of a run.
  const isSame =
    known?.endedAt === run.endedAt &&
    known?.outcome === run.outcome &&
    (known?.discardedAt !== undefined || run.discardedAt === undefined);
  if (run.endedAt !== undefined && isSame) return;
  const events = await eventsFrom(readEvents(at, run.story, run.id).events.length);
  makeFolder(folder);
  if (!existsSync(file)) writeDurably(file, formatDocument(run));
  const log = openRun(at, known ?? run);
  try {
    for (const event of events) log.append(event);
    // This machine may know that its worker died, and that a person discarded it.
    const { endedAt, outcome, reason } = known ?? run;
    const discardedAt = known?.discardedAt ?? run.discardedAt;
    const isEnded = run.endedAt !== undefined;
    log.update({ ...run, ...(isEnded ? {} : { endedAt, outcome, reason }), discardedAt });
  } finally {
    log.close();
  }
}

/** Without what only its own machine can use, and so that no process here is taken for its worker. */
export function foreignRun(run: Run, machine: string): Run & { readonly machine: string } {
  const rest = Object.entries(run).filter(([name]) => !OF_ITS_MACHINE.has(name));
  const { worker } = run;
  return {
    ...(Object.fromEntries(rest) as Run),
    machine,
    ...(worker && { worker: { ...worker, place: `machine ${machine}` } }),
  };
}

const OF_ITS_MACHINE: ReadonlySet<string> = new Set([
  "agent",
  "session",
  "outputFile",
  "conversation",
  "taskList",
]);
