// Finds events in the logs of all runs, newest run first. Lines are parsed only if they can match: most of a log is
// never parsed. Words that only the description of an event has are not found.

import { join } from "node:path";
import { listFolder, readTextIfThere } from "../../machine/files/files.ts";
import { mayMatchJson, type SearchQuery } from "../../story/search/query.ts";
import { runId, type RunEvent } from "../../story/state/run.ts";
import { runsFolder, type Layout } from "../project/layout.ts";
import { eventIn, runFolder } from "../runs/runs.ts";

export interface FoundEvent {
  /** The story, or a worker of the pool. */
  readonly story: string;
  readonly run: string;
  readonly event: RunEvent;
}

/** About a second of reading. */
const MAX_CHARACTERS = 200_000_000;

/** Yields the newest run's events first, in each run the newest first. Returns whether some logs were not read. */
export function* readMatchingEvents(
  at: Layout,
  query: SearchQuery,
  stop?: AbortSignal,
): Generator<FoundEvent, { readonly isCut: boolean }> {
  let left = MAX_CHARACTERS;
  for (const { story, run } of runsNewestFirst(at)) {
    if (left <= 0 || stop?.aborted) return { isCut: true };
    const text = readLog(join(runFolder(at, story, run), "events.jsonl"));
    left -= text.length;
    for (const line of text.split("\n").toReversed()) {
      const event = mayMatchJson(query, line) ? eventIn(line) : undefined;
      if (event) yield { story, run, event };
    }
  }
  return { isCut: false };
}

/** The id of a run starts with its time. */
const runsNewestFirst = (at: Layout): { readonly story: string; readonly run: string }[] =>
  listFolder(runsFolder(at))
    .flatMap(({ name: story }) =>
      listFolder(join(runsFolder(at), story))
        .filter(({ name }) => runId.safeParse(name).success)
        .map(({ name: run }) => ({ story, run })),
    )
    .toSorted((one, other) => (one.run < other.run ? 1 : one.run > other.run ? -1 : 0));

/** A log that cannot be read hides no other. */
function readLog(file: string): string {
  try {
    return readTextIfThere(file) ?? "";
  } catch {
    return "";
  }
}
