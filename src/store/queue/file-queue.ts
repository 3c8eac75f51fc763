// The lanes as files:
//
//   .saga/queue/<lane>/<entry>.json     waits
//   .saga/queue/<lane>/<entry>.hold     a person holds it
//   .saga/queue/<lane>/<entry>.done     its outcome, kept for a day
//   .saga/queue/<lane>/now.json         what its lander does
//   .saga/queue/<lane>/output/          the output of the check that runs
//   .saga/queue/<lane>/history.jsonl    the batches that landed
//
// Each change is one file that is written whole or removed, so a kill leaves no half of one.

import { randomBytes } from "node:crypto";
import { existsSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import {
  ifThere,
  listNames,
  makeFolder,
  readTextIfThere,
  replaceFile,
  writeDurably,
} from "../../machine/files/files.ts";
import { followFolders } from "../../machine/files/folder-changes.ts";
import {
  entrySchema,
  laneName,
  laneOfName,
  type Entry,
  type Lane,
} from "../../story/landing/entry.ts";
import { landedBatchSchema, landingNowSchema } from "../../story/landing/history.ts";
import { parseJson } from "../../text/parse-json.ts";
import { makeIgnoredFolder } from "../write/ignored-folder.ts";
import { queueFolder, type Layout } from "../project/layout.ts";
import type { LandingQueue } from "./queue.ts";

const OUTCOME_MS = 24 * 3600_000;
const MAX_HISTORY = 500;

export function openQueue(at: Layout, now: () => number): LandingQueue {
  const folderOf = (lane: Lane): string => join(queueFolder(at), laneName(lane));
  const file = ({ lane, id }: Pick<Entry, "lane" | "id">, kind: "json" | "hold" | "done"): string =>
    join(folderOf(lane), `${id}.${kind}`);
  const list = async (lane: Lane): Promise<Entry[]> =>
    listNames(folderOf(lane))
      .filter((name) => /^\d{13}-[0-9a-f]{8}\.json$/.test(name))
      .toSorted()
      .flatMap((name) => readEntry(join(folderOf(lane), name)) ?? []);
  return {
    async enqueue(wanted) {
      const waiting = await list(wanted.lane);
      const known = waiting.find(({ kind, name }) => kind === wanted.kind && name === wanted.name);
      if (known) return known;
      // After the last one, also within a millisecond and when the clock was set back.
      const lastMs = Number(waiting.at(-1)?.id.slice(0, 13) ?? 0);
      const ms = Math.max(now(), lastMs + 1);
      const id = `${String(ms).padStart(13, "0")}-${randomBytes(4).toString("hex")}`;
      const entry = entrySchema.parse({
        ...wanted,
        id,
        enqueuedAt: new Date(now()).toISOString(),
      });
      makeIgnoredFolder(queueFolder(at));
      makeFolder(folderOf(entry.lane));
      writeDurably(file(entry, "json"), `${JSON.stringify(entry)}\n`);
      return entry;
    },
    lanes: async () => listNames(queueFolder(at)).flatMap((name) => laneOfName(name) ?? []),
    list,
    async setHold(entry, heldBy) {
      if (!existsSync(file(entry, "json"))) return false;
      if (heldBy === undefined) rmSync(file(entry, "hold"), { force: true });
      else writeDurably(file(entry, "hold"), heldBy);
      return true;
    },
    async settle(entry, outcome) {
      removeOldOutcomes(folderOf(entry.lane), now());
      // The outcome first: after a kill between the two, the entry is settled again.
      writeDurably(file(entry, "done"), `${JSON.stringify(outcome)}\n`);
      rmSync(file(entry, "json"), { force: true });
      rmSync(file(entry, "hold"), { force: true });
    },
    async outcome(entry) {
      // While the entry waits, an outcome is that of a killed lander, and is to be written again.
      if (existsSync(file(entry, "json"))) return undefined;
      const text = readTextIfThere(file(entry, "done"));
      return text === undefined ? undefined : { value: parseJson(text) };
    },
    now: async (lane) =>
      landingNowSchema.safeParse(parseJson(readTextIfThere(join(folderOf(lane), NOW)) ?? "")).data,
    async setNow(lane, step) {
      const path = join(folderOf(lane), NOW);
      if (step === undefined) rmSync(path, { force: true });
      else replaceFile(path, `${JSON.stringify(step)}\n`);
    },
    outputFile(lane) {
      const folder = join(folderOf(lane), OUTPUT);
      makeFolder(folder);
      return join(folder, "check.log");
    },
    history: async (lane) => historyIn(folderOf(lane)),
    async record(lane, batch) {
      const kept = [...historyIn(folderOf(lane)), batch].slice(-MAX_HISTORY);
      const lines = kept.map((one) => `${JSON.stringify(one)}\n`);
      writeDurably(join(folderOf(lane), HISTORY), lines.join(""));
    },
    async changed(lane, timeoutMs, stop = new AbortController().signal) {
      const changes = followFolders();
      changes.follow([folderOf(lane)]);
      try {
        await changes.next(timeoutMs, stop);
      } finally {
        changes.close();
      }
    },
  };
}

const NOW = "now.json";
/** In a folder of its own: each line would wake all processes that watch the lane. */
const OUTPUT = "output";
const HISTORY = "history.jsonl";

/** Undefined for an entry that was settled meanwhile, and for a file that Saga did not write. */
function readEntry(path: string): Entry | undefined {
  const entry = entrySchema.safeParse(parseJson(readTextIfThere(path) ?? "")).data;
  const heldBy = readTextIfThere(path.replace(/\.json$/, ".hold"));
  return entry && (heldBy === undefined ? entry : { ...entry, heldBy });
}

const historyIn = (folder: string) =>
  (readTextIfThere(join(folder, HISTORY)) ?? "")
    .split("\n")
    .flatMap((line) => landedBatchSchema.safeParse(parseJson(line)).data ?? []);

function removeOldOutcomes(folder: string, nowMs: number): void {
  for (const name of listNames(folder).filter((one) => one.endsWith(".done"))) {
    const path = join(folder, name);
    const stat = ifThere(() => statSync(path));
    if (stat && nowMs - stat.mtimeMs > OUTCOME_MS) rmSync(path, { force: true });
  }
}
