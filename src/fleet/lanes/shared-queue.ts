// The lanes of a member. Those at the remote are rows that all machines of the fleet share; those of this machine are files,
// and so is what only this machine needs of a shared lane: the outcome of its own entries, the output of its checks,
// what it verifies ahead, and the tasks of its pool, which only it can land.

import { join } from "node:path";
import { makeFolder, readTextIfThere, writeDurably } from "../../machine/files/files.ts";
import { queueFolder, type Layout } from "../../store/project/layout.ts";
import type { LandingQueue } from "../../store/queue/queue.ts";
import { makeIgnoredFolder } from "../../store/write/ignored-folder.ts";
import { laneName, type Entry, type Lane } from "../../story/landing/entry.ts";
import type { LandedBatch, LandingNow } from "../../story/landing/history.ts";
import type { Exchange } from "../records/exchange-runs.ts";
import { openCheckNames } from "./check-names.ts";
import { landedOf } from "./lane-rows.ts";
import type { LaneTable } from "./lane-table.ts";

export interface SharedQueueOptions {
  readonly at: Layout;
  /** The lanes as files. */
  readonly local: LandingQueue;
  /** Connects on first use. */
  readonly shared: () => Promise<SharedLanes>;
}

export interface SharedLanes {
  readonly table: LaneTable;
  readonly exchange: Exchange;
}

/** Each look asks the database several times, and every command that waits looks. */
const LOOK_EVERY_MS = 1_000;

export function openSharedQueue({ at, local, shared }: SharedQueueOptions): LandingQueue {
  const checks = openCheckNames(at);
  const table = async (): Promise<LaneTable> => (await shared()).table;
  return {
    ...local,
    machine: async (lane) => (isShared(lane) ? (await table()).machine : undefined),
    async enqueue(wanted) {
      if (!isSharedEntry(wanted)) return local.enqueue(wanted);
      const { table: rows, exchange } = await shared();
      // The lander of another machine judges by its receipts.
      if (wanted.kind === "story") await exchange.send(wanted.name);
      checks.learn(wanted.checks);
      const entry = withOwn(await rows.insert(wanted));
      const { updateCheckouts } = wanted;
      if (updateCheckouts === undefined || updateCheckouts === entry.updateCheckouts) return entry;
      writeDurably(ownFile(entry), `${JSON.stringify({ updateCheckouts })}\n`);
      return withOwn(entry);
    },
    async lanes() {
      const here = await local.lanes();
      const there = await (await table()).lanes();
      const names = new Set(here.map(laneName));
      return [...here, ...there.filter((lane) => !names.has(laneName(lane)))];
    },
    async list(lane) {
      const here = await local.list(lane);
      if (!isShared(lane)) return here;
      const there = (await (await table()).waiting(lane)).map(withOwn);
      return [...here, ...there].toSorted((one, other) => (one.id < other.id ? -1 : 1));
    },
    async holder(entry) {
      if (!isSharedEntry(entry)) return local.holder(entry);
      return (await (await table()).read(entry.id))?.entry.heldBy;
    },
    setHold: async (entry, heldBy) =>
      isSharedEntry(entry)
        ? (await table()).setHold(entry.id, heldBy)
        : local.setHold(entry, heldBy),
    async settle(entry, outcome) {
      if (!isSharedEntry(entry)) return local.settle(entry, outcome);
      // The outcome first: after a kill between the two, the entry is settled again.
      makeLane(entry.lane);
      await local.settle(entry, outcome);
      await (await table()).settle(entry);
    },
    withdraw: async (entry, outcome) =>
      isSharedEntry(entry)
        ? (await table()).withdraw(entry.id, outcome)
        : local.withdraw(entry, outcome),
    markLanding: async (entry) =>
      isSharedEntry(entry) ? (await table()).mark(entry) : local.markLanding(entry),
    async unmarkLanding(lane) {
      await local.unmarkLanding(lane);
      if (isShared(lane)) await (await table()).unmark(lane);
    },
    hasMarks: async (lane) =>
      (await local.hasMarks(lane)) || (isShared(lane) && (await (await table()).hasMarks(lane))),
    async outcome(entry) {
      if (!isSharedEntry(entry)) return local.outcome(entry);
      const { machine, read } = await table();
      const stored = await read(entry.id);
      // The database was created again, or the row is old.
      if (stored === undefined) return { value: { kind: "stopped", isUncertain: true } };
      const { outcome } = stored;
      if (outcome?.kind === "settled" && stored.entry.machine === machine)
        return local.outcome(entry);
      if (outcome?.kind === "dropped" || outcome?.kind === "stopped") return { value: outcome };
      if (stored.entry.machine === entry.machine) return undefined;
      return { value: { error: takenOver(stored.entry) } };
    },
    async landed(entry) {
      if (!isSharedEntry(entry)) return undefined;
      return landedOf((await (await table()).read(entry.id))?.outcome);
    },
    unsettled: async (lane) =>
      isShared(lane) ? (await (await table()).landed(lane)).map(withOwn) : [],
    async noteLanded(entry, landed) {
      if (isSharedEntry(entry)) await (await table()).noteLanded(entry, landed);
    },
    async leave(entry) {
      if (isSharedEntry(entry)) await (await table()).leave(entry);
    },
    async receive({ kind, name }) {
      if (kind === "story") await (await shared()).exchange.receive(name);
    },
    async now(lane) {
      if (!isShared(lane)) return local.now(lane);
      const { machine, now } = await table();
      const found = await now(lane);
      return found && nowHere(found, machine, lane);
    },
    async setNow(lane, now) {
      if (!isShared(lane)) return local.setNow(lane, now);
      if (now?.command !== undefined) checks.learn([now.command]);
      await (await table()).setNow(lane, now);
    },
    async history(lane) {
      if (!isShared(lane)) return local.history(lane);
      return (await (await table()).history(lane)).map(named);
    },
    async record(lane, batch) {
      if (!isShared(lane)) return local.record(lane, batch);
      checks.learn([...batch.checks.map(({ command }) => command), ...batch.flaky]);
      await (await table()).record(lane, batch);
    },
    watch(lane) {
      if (!isShared(lane)) return local.watch(lane);
      makeLane(lane);
      const watch = local.watch(lane);
      return {
        ...watch,
        next: (timeoutMs, stop) => watch.next(Math.max(timeoutMs, LOOK_EVERY_MS), stop),
      };
    },
  };

  function makeLane(lane: Lane): void {
    makeIgnoredFolder(queueFolder(at));
    makeFolder(join(queueFolder(at), laneName(lane)));
  }

  /** What a person allowed for an entry of this machine is not taken from a row. */
  function ownFile({ lane, id }: Pick<Entry, "lane" | "id">): string {
    makeLane(lane);
    return join(queueFolder(at), laneName(lane), `${id}.own`);
  }

  function withOwn(entry: Entry): Entry {
    const named = { ...entry, checks: entry.checks.map(checks.nameOf) };
    const path = join(queueFolder(at), laneName(entry.lane), `${entry.id}.own`);
    const text = readTextIfThere(path);
    return text === undefined
      ? named
      : { ...named, updateCheckouts: text.trim() === '{"updateCheckouts":true}' };
  }

  function named(batch: LandedBatch): LandedBatch {
    return {
      ...batch,
      checks: batch.checks.map((one) => ({ ...one, command: checks.nameOf(one.command) })),
      flaky: batch.flaky.map(checks.nameOf),
    };
  }

  function nowHere(now: LandingNow, machine: string, lane: Lane): LandingNow {
    return {
      ...now,
      ...(now.command !== undefined && { command: checks.nameOf(now.command) }),
      ...(now.machine === machine && { output: local.outputFile(lane) }),
    };
  }
}

/** A target on this machine is only of this machine. */
const isShared = ({ place }: Lane): boolean => place === "remote";

const isSharedEntry = ({ lane, kind }: Pick<Entry, "lane" | "kind">): boolean =>
  isShared(lane) && kind !== "task";

const takenOver = ({ name, machine }: Pick<Entry, "name" | "machine">): object => ({
  code: "in-use",
  message: `${name} is merged by another machine now (${machine ?? ""}).`,
  hint: "`saga queue` shows it.",
});
