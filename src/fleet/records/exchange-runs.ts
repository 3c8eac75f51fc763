// Brings the runs of this machine to the fleet's database, and those of the others here. Both can be repeated at any time:
// what is stored already is not stored again, so a member that lost the database catches up with the next call.

import { importRun, foreignRun } from "../../store/runs/imported-run.ts";
import { waitForLease } from "../../store/leases/wait-for-lease.ts";
import { layoutOf } from "../../store/project/layout.ts";
import type { Store } from "../../store/store.ts";
import type { Run } from "../../story/state/run.ts";
import type { RunRecords, StoredRun } from "./records.ts";
import { resealEvent, resealRun } from "./reseal.ts";

export interface Exchange {
  /** The runs of one story of this machine. */
  readonly send: (storyId: string) => Promise<void>;
  /** The runs of other machines: of one story, or all that changed since the last call. Returns those. */
  readonly receive: (storyId?: string) => Promise<readonly Run[]>;
}

export interface ExchangeOptions {
  readonly store: Store;
  readonly records: RunRecords;
  readonly machine: string;
  readonly ownKey: () => Buffer | undefined;
  readonly fleetKey: () => Promise<Buffer | undefined>;
}

interface SentRun {
  readonly offset: number;
  readonly count: number;
  /** As it was sent. */
  readonly text: string;
}

/** Only one process of a machine at a time writes the runs of others. */
const RECEIVING = "fleet-records";
const MAX_WAIT_MS = 10_000;
const POLL_MS = 50;
/** Older runs are of no use for a decision. */
const MAX_RUNS = 20;

export function openExchange({
  store,
  records,
  machine,
  ownKey,
  fleetKey,
}: ExchangeOptions): Exchange {
  const sent = new Map<string, SentRun>();
  let since: string | undefined;
  return {
    async send(storyId) {
      const runs = (await store.listRuns(storyId)).slice(0, MAX_RUNS).toReversed();
      for (const run of runs.filter((one) => one.machine === undefined)) await sendRun(run);
    },
    async receive(storyId) {
      const waited = await waitForLease(store.leases, RECEIVING, {
        owner: "saga",
        // Who asks for one story needs it now; the others look again soon.
        maxWaitMs: storyId === undefined ? 0 : MAX_WAIT_MS,
        pollMs: POLL_MS,
      });
      if (waited.kind !== "taken") return [];
      const { lease } = waited;
      try {
        const received: Run[] = [];
        // The database gives a part at a time.
        for (let part = await changes(storyId); part.length > 0; part = await changes(storyId)) {
          for (const one of part) await importOne(one);
          received.push(...part.map(({ run }) => run));
          if (storyId !== undefined) break;
          since = part.at(-1)?.updatedAt;
        }
        return received;
      } finally {
        await lease.release();
      }
    },
  };

  function changes(story: string | undefined): Promise<readonly StoredRun[]> {
    return records.changes({ not: machine, story, since: story ? undefined : since });
  }

  async function importOne({ run, machine: theirs }: StoredRun): Promise<void> {
    const keys = { from: await fleetKey(), to: ownKey() };
    await importRun(
      layoutOf(store.project),
      foreignRun(resealRun(run, keys), theirs),
      async (from) =>
        (await records.events(run.story, run.id, from)).map((event) =>
          resealEvent(event, run, keys),
        ),
    );
  }

  async function sendRun(run: Run): Promise<void> {
    const known = sent.get(run.id) ?? (await firstSent(run));
    const { events, nextOffset } = await store.readEvents(run.story, run.id, known.offset);
    const text = JSON.stringify(run);
    if (events.length === 0 && text === known.text) return;
    const keys = { from: ownKey(), to: await fleetKey() };
    await records.save(
      resealRun(run, keys),
      machine,
      events.map((event) => resealEvent(event, run, keys)),
      known.count,
    );
    sent.set(run.id, { offset: nextOffset, count: known.count + events.length, text });
  }

  /** After a restart: what is stored already is read again here, and not sent again. */
  async function firstSent({ story, id }: Run): Promise<SentRun> {
    const count = await records.eventCount(story, id);
    if (count === 0) return { offset: 0, count: 0, text: "" };
    const { events, nextOffset } = await store.readEvents(story, id);
    if (events.length > count) {
      // Some are missing there: the database leaves out those that it has.
      return { offset: 0, count: 0, text: "" };
    }
    return { offset: nextOffset, count: events.length, text: "" };
  }
}
