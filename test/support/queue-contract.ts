// What `src/store/queue/queue.ts` promises, as tests for any engine. Nothing here knows files or rows.

import { describe, expect, it } from "vitest";
import type { LandingQueue } from "../../src/store/queue/queue.ts";
import type { Entry, Lane, EntryRequest } from "../../src/story/landing/entry.ts";

export interface QueueWorld {
  /** Two processes of one machine, each with a view of its own. */
  readonly queue: LandingQueue;
  readonly other: LandingQueue;
  readonly lane: Lane;
  /** `queue` becomes the owner of the lane's lease. Returns the end of that. */
  readonly land: () => Promise<() => Promise<void>>;
}

const AT = "2026-01-01T00:00:00.000Z";
const COMMIT = "a".repeat(40);
const CHECK = { command: "npm test", isPassed: true, ms: 5, isReused: false, candidate: 1 };

export function describeQueue(engine: string, newWorld: () => Promise<QueueWorld>): void {
  const start = async () => {
    const world = await newWorld();
    const { queue, other, lane } = world;
    const story = (name: string, more: Partial<EntryRequest> = {}): EntryRequest => ({
      kind: "story",
      name,
      lane,
      priority: 2,
      by: "saga merge",
      after: [],
      checks: ["npm test"],
      ...more,
    });
    const names = async (): Promise<string[]> => (await other.list(lane)).map(({ name }) => name);
    return { ...world, queue, other, lane, story, names };
  };

  describe(`a lane in ${engine}`, () => {
    it("has the entries in the order of their arrival, as they were given", async () => {
      const { queue, other, lane, story, names } = await start();
      for (const name of ["b", "a"]) await queue.enqueue(story(name));
      const last = story("c", { priority: 1, after: ["a"], updateCheckouts: true });
      const entry = await queue.enqueue(last);
      expect(await names()).toEqual(["b", "a", "c"]);
      expect((await other.list(lane))[2]).toEqual(entry);
      expect(entry).toMatchObject(last);
      expect(await other.lanes()).toEqual([lane]);
      expect(await other.list({ ...lane, branch: "other" })).toEqual([]);
    });

    it("keeps that order however fast they arrive", async () => {
      const { queue, story, names } = await start();
      const all = Array.from({ length: 20 }, (_, at) => `s${at}`);
      for (const name of all) await queue.enqueue(story(name));
      expect(await names()).toEqual(all);
    });

    it("has one entry for a story that is put in it twice, also at the same moment", async () => {
      const { queue, other, lane, story } = await start();
      const first = await queue.enqueue(story("a"));
      expect(await other.enqueue(story("a"))).toEqual(first);
      await queue.enqueue(story("a", { kind: "epic" }));
      expect((await queue.list(lane)).map(({ kind }) => kind)).toEqual(["story", "epic"]);
    });

    it("keeps the outcome of a settled entry for those who wait", async () => {
      const { queue, other, story, names, land } = await start();
      const entry = await queue.enqueue(story("a"));
      expect(await other.outcome(entry)).toBeUndefined();
      await land();
      await queue.settle(entry, { kind: "merged", text: "of any length" });
      expect(await other.outcome(entry)).toEqual({
        value: { kind: "merged", text: "of any length" },
      });
      expect(await names()).toEqual([]);
      expect((await queue.enqueue(story("a"))).id).not.toBe(entry.id);
    });

    it("shows who holds an entry, until it is released", async () => {
      const { queue, other, lane, story } = await start();
      const entry = await queue.enqueue(story("a"));
      expect(await other.setHold(entry, "Ada Lovelace")).toBe(true);
      expect(await queue.list(lane)).toMatchObject([{ heldBy: "Ada Lovelace" }]);
      expect(await queue.holder(entry)).toBe("Ada Lovelace");
      await other.setHold(entry, undefined);
      expect((await queue.list(lane))[0]).not.toHaveProperty("heldBy");
    });

    it("cannot hold an entry that is settled, and so never brings it back", async () => {
      const { queue, other, story, names, land } = await start();
      const entry = await queue.enqueue(story("a"));
      await land();
      await queue.settle(entry, {});
      expect(await other.setHold(entry, "Ada")).toBe(false);
      expect(await names()).toEqual([]);
    });

    it("lets no held entry land", async () => {
      const { queue, other, story, land } = await start();
      const entry = await queue.enqueue(story("a"));
      await land();
      await other.setHold(entry, "Ada");
      expect(await queue.markLanding(entry)).toBe(false);
    });

    it("gives an entry that is withdrawn the outcome of that, and its lander does not land it", async () => {
      const { queue, other, story, names, land } = await start();
      const entry = await queue.enqueue(story("a"));
      await land();
      expect(await other.withdraw(entry, { kind: "dropped", by: "Ada" })).toBe(true);
      expect(await queue.markLanding(entry)).toBe(false);
      expect(await queue.outcome(entry)).toEqual({ value: { kind: "dropped", by: "Ada" } });
      expect(await names()).toEqual([]);
    });

    it("does not withdraw an entry that its lander has marked, until the mark is gone", async () => {
      const { queue, other, lane, story, land } = await start();
      const entry = await queue.enqueue(story("a"));
      await land();
      expect(await queue.hasMarks(lane)).toBe(false);
      expect(await queue.markLanding(entry)).toBe(true);
      expect(await other.hasMarks(lane)).toBe(true);
      expect(await other.withdraw(entry, { kind: "stopped" })).toBe(false);
    });

    it("forgets the marks of a killed lander, and then the entry can be withdrawn", async () => {
      const { queue, other, lane, story, land } = await start();
      const entry = await queue.enqueue(story("a"));
      const end = await land();
      await queue.markLanding(entry);
      await end();
      await other.unmarkLanding(lane);
      expect(await other.withdraw(entry, { kind: "stopped" })).toBe(true);
      expect(await queue.outcome(entry)).toEqual({ value: { kind: "stopped" } });
    });

    it("does not replace an outcome by a withdrawal", async () => {
      const { queue, other, story, land } = await start();
      const entry = await queue.enqueue(story("a"));
      await land();
      await queue.settle(entry, { kind: "refused" });
      expect(await other.withdraw(entry, { kind: "stopped" })).toBe(true);
      expect(await other.outcome(entry)).toEqual({ value: { kind: "refused" } });
    });

    it("withdraws an entry or lets it land, never both, in whatever order both happen", async () => {
      const { queue, other, story, land } = await start();
      const entries: Entry[] = [];
      for (let at = 0; at < 40; at++) entries.push(await queue.enqueue(story(`s${at}`)));
      await land();
      const ends = await Promise.all(
        entries.map(async (entry, at) => {
          const mark = () => queue.markLanding(entry);
          const withdraw = () => other.withdraw(entry, { kind: "stopped" });
          if (at % 2 === 0) return Promise.all([mark(), withdraw()]);
          const [isWithdrawn, isMarked] = await Promise.all([withdraw(), mark()]);
          return [isMarked, isWithdrawn];
        }),
      );
      expect(ends.filter(([isMarked, isWithdrawn]) => isMarked && isWithdrawn)).toEqual([]);
    });

    it("shows what its lander does", async () => {
      const { queue, other, lane, story, land } = await start();
      await queue.enqueue(story("a"));
      await land();
      const step = { entries: ["a"], startedAt: AT, tip: COMMIT, inTip: ["a"] };
      await queue.setNow(lane, { ...step, step: "verify", command: "npm test", candidate: 1 });
      expect(await other.now(lane)).toMatchObject({ ...step, step: "verify", command: "npm test" });
      await queue.setNow(lane, undefined);
      expect(await other.now(lane)).toBeUndefined();
    });

    it("shows what is verified ahead", async () => {
      const { queue, other, lane, story } = await start();
      await queue.enqueue(story("a"));
      const ahead = { slot: 1, onto: COMMIT, tip: COMMIT, entries: ["a"], startedAt: AT };
      await queue.setAhead(lane, 1, ahead);
      expect(await other.aheads(lane)).toEqual([ahead]);
      await queue.setAhead(lane, 1, undefined);
      expect(await other.aheads(lane)).toEqual([]);
    });

    it("remembers the batches that landed, oldest first", async () => {
      const { queue, other, lane, story, land } = await start();
      await queue.enqueue(story("a"));
      await land();
      const batch = {
        at: AT,
        ms: 5,
        from: COMMIT,
        to: COMMIT,
        checks: [CHECK],
        flaky: ["npm test"],
      };
      for (const name of ["a", "b"]) await queue.record(lane, { ...batch, landed: [name] });
      expect(await other.history(lane)).toEqual(
        ["a", "b"].map((name) => ({ ...batch, landed: [name] })),
      );
      expect(await other.lanes()).toEqual([lane]);
    });

    it("wakes those who wait on its machine when an entry is settled", async () => {
      const { queue, other, lane, story, land } = await start();
      const entry = await queue.enqueue(story("a"));
      await land();
      const watch = other.watch(lane);
      const waiting = watch.next(60_000);
      await queue.settle(entry, {});
      await waiting;
      expect(await other.outcome(entry)).toBeDefined();
      watch.close();
    });
  });
}
