// The lanes as files:
//
//   .saga/queue/<lane>/<entry>.json     waits
//   .saga/queue/<lane>/<entry>.hold     a person holds it
//   .saga/queue/<lane>/<entry>.landing  its lander moves the target: it cannot be withdrawn any more
//   .saga/queue/<lane>/<entry>.done     its outcome, kept for a day
//   .saga/queue/<lane>/now.json         what its lander does
//   .saga/queue/<lane>/ahead-1.json     the batch that is or was verified before its turn
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
import { newWakeup, wakeOnChange } from "../../machine/files/wakeup.ts";
import { pause } from "../../machine/processes/timer.ts";
import { aheadSchema } from "../../story/landing/check-ahead.ts";
import {
  entrySchema,
  LANE_OUTPUT,
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

type EntryFile = "json" | "hold" | "landing" | "done";

const OUTCOME_MS = 24 * 3600_000;
const MAX_HISTORY = 500;
const DEBOUNCE_MS = 50;

export function openQueue(at: Layout, now: () => number): LandingQueue {
  const folderOf = (lane: Lane): string => join(queueFolder(at), laneName(lane));
  const file = ({ lane, id }: Pick<Entry, "lane" | "id">, kind: EntryFile): string =>
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
    holder: async (entry) => readTextIfThere(file(entry, "hold")),
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
      rmSync(file(entry, "landing"), { force: true });
    },
    // This side removes the entry and looks for the mark; the lander writes the mark and looks for the entry. So at
    // least one of them sees the other.
    async withdraw(entry, outcome) {
      if (existsSync(file(entry, "landing"))) return false;
      rmSync(file(entry, "json"), { force: true });
      if (existsSync(file(entry, "landing"))) return false;
      rmSync(file(entry, "hold"), { force: true });
      if (!existsSync(file(entry, "done"))) {
        writeDurably(file(entry, "done"), `${JSON.stringify(outcome)}\n`);
      }
      return true;
    },
    async markLanding(entry) {
      replaceFile(file(entry, "landing"), "");
      return existsSync(file(entry, "json")) && !existsSync(file(entry, "hold"));
    },
    async unmarkLanding(lane) {
      const marks = listNames(folderOf(lane)).filter((name) => name.endsWith(".landing"));
      for (const name of marks) rmSync(join(folderOf(lane), name), { force: true });
    },
    hasMarks: async (lane) => listNames(folderOf(lane)).some((name) => name.endsWith(".landing")),
    async outcome(entry) {
      // While the entry waits, an outcome is that of a killed lander, and is to be written again.
      if (existsSync(file(entry, "json"))) return undefined;
      const text = readTextIfThere(file(entry, "done"));
      if (text !== undefined) return { value: parseJson(text) };
      // Killed while it was withdrawn.
      return existsSync(file(entry, "landing")) ? undefined : { value: { kind: "stopped" } };
    },
    now: async (lane) =>
      landingNowSchema.safeParse(parseJson(readTextIfThere(join(folderOf(lane), NOW)) ?? "")).data,
    async setNow(lane, step) {
      const path = join(folderOf(lane), NOW);
      if (step === undefined) rmSync(path, { force: true });
      else replaceFile(path, `${JSON.stringify(step)}\n`);
    },
    aheads: async (lane) =>
      listNames(folderOf(lane))
        .filter((name) => /^ahead-\d+\.json$/.test(name))
        .flatMap((name) => {
          const text = readTextIfThere(join(folderOf(lane), name)) ?? "";
          return aheadSchema.safeParse(parseJson(text)).data ?? [];
        }),
    async setAhead(lane, slot, ahead) {
      const path = join(folderOf(lane), `ahead-${slot}.json`);
      if (ahead === undefined) rmSync(path, { force: true });
      else {
        makeIgnoredFolder(queueFolder(at));
        makeFolder(folderOf(lane));
        replaceFile(path, `${JSON.stringify(ahead)}\n`);
      }
    },
    outputFile(lane) {
      const folder = join(folderOf(lane), LANE_OUTPUT);
      makeFolder(folder);
      return join(folder, "check.log");
    },
    history: async (lane) => historyIn(folderOf(lane)),
    async record(lane, batch) {
      const kept = [...historyIn(folderOf(lane)), batch].slice(-MAX_HISTORY);
      const lines = kept.map((one) => `${JSON.stringify(one)}\n`);
      writeDurably(join(folderOf(lane), HISTORY), lines.join(""));
    },
    watch(lane) {
      const wakeup = newWakeup();
      const close = wakeOnChange(folderOf(lane), wakeup);
      return {
        async next(timeoutMs, stop) {
          await wakeup.next(timeoutMs, stop);
          // One write causes several events.
          await pause(DEBOUNCE_MS, stop ?? new AbortController().signal);
          wakeup.reset();
        },
        close,
      };
    },
    // Files are of one machine.
    machine: async () => undefined,
    receive: async () => undefined,
    noteLanded: async () => undefined,
    leave: async () => undefined,
    landed: async () => undefined,
    unsettled: async () => [],
  };
}

const NOW = "now.json";
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
