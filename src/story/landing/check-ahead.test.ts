import { describe, expect, it } from "vitest";
import {
  alignWithAhead,
  isUseful,
  planAhead,
  slotsFor,
  type Ahead,
  type AheadFacts,
} from "./check-ahead.ts";
import type { Entry } from "./entry.ts";
import type { LandingNow } from "./history.ts";

const entry = (name: string, arrival: number, more: Partial<Entry> = {}): Entry => ({
  id: `${String(arrival).padStart(13, "0")}-00000000`,
  kind: "story",
  name,
  lane: { branch: "main", place: "here" },
  priority: 3,
  enqueuedAt: "2026-01-01T00:00:00.000Z",
  by: "saga merge",
  after: [],
  checks: [],
  ...more,
});

const ENTRIES = ["a", "b", "c", "d", "e"].map((name, at) => entry(name, at));
const startedAt = "2026-01-01T00:00:00.000Z";
const verifying = (tip: string, inTip: string[], more: Partial<LandingNow> = {}): LandingNow => ({
  entries: inTip,
  step: "verify",
  startedAt,
  tip,
  inTip,
  ...more,
});
const ahead = (slot: number, onto: string, tip: string, more: Partial<Ahead> = {}): Ahead => ({
  slot,
  onto,
  tip,
  entries: ["c", "d"],
  startedAt,
  ...more,
});
const facts = (more: Partial<AheadFacts>): AheadFacts => ({
  now: verifying("t1", ["a", "b"]),
  lastBatch: { to: "t0" },
  aheads: [],
  ...more,
});
const planned = (more: Partial<AheadFacts>): string | undefined => {
  const plan = planAhead(facts(more), ENTRIES, 2);
  return plan && `${plan.batch.map(({ name }) => name).join(",")} on ${plan.onto}`;
};

describe("what is verified ahead", () => {
  it("is the next batch, on top of the one that is verified now", () => {
    expect(planned({})).toBe("c,d on t1");
  });

  it("is the batch after one that is verified ahead or has passed", () => {
    expect(planned({ aheads: [ahead(1, "t1", "t2")] })).toBe("e on t2");
    expect(planned({ aheads: [ahead(1, "t1", "t2", { isPassed: true })] })).toBe("e on t2");
  });

  it("is nothing while no candidate is known, after a failed check, and on top of what failed", () => {
    expect(planned({ now: undefined })).toBeUndefined();
    expect(planned({ now: verifying("t1", ["a"], { tip: undefined }) })).toBeUndefined();
    expect(planned({ now: verifying("t1", ["a", "b"], { isRed: true }) })).toBeUndefined();
    expect(planned({ aheads: [ahead(1, "t1", "t2", { isPassed: false })] })).toBeUndefined();
  });

  it("is nothing if no other entry waits", () => {
    expect(planned({ now: verifying("t1", ["a", "b", "c", "d", "e"]) })).toBeUndefined();
  });

  it("does not count what was checked on top of another candidate", () => {
    expect(planned({ aheads: [ahead(1, "old", "t2")] })).toBe("c,d on t1");
  });

  it("includes an entry that the batch before had to leave out", () => {
    expect(planned({ now: verifying("t1", ["b"]) })).toBe("a,c on t1");
  });
});

it("the lander counts as one of those that run checks, unless it waits for another", () => {
  expect(slotsFor(facts({ aheads: [ahead(1, "t1", "t2")] }), 2)).toBe(1);
  expect(slotsFor(facts({ aheads: [ahead(1, "t0", "t1")] }), 2)).toBe(2);
  expect(slotsFor(facts({ aheads: [ahead(1, "t0", "t1", { isPassed: true })] }), 2)).toBe(1);
});

describe("a batch that is verified ahead", () => {
  const one = ahead(1, "t1", "t2");

  it("is useful while the batch before it is verified, has landed, or is its own turn", () => {
    expect(isUseful(one, facts({}))).toBe(true);
    expect(isUseful(one, facts({ now: undefined, lastBatch: { to: "t1" } }))).toBe(true);
    expect(isUseful(one, facts({ now: verifying("t2", ["c", "d"]) }))).toBe(true);
  });

  it("is not useful when a check of the batch before failed, or when another one landed", () => {
    expect(isUseful(one, facts({ now: verifying("t1", ["a", "b"], { isRed: true }) }))).toBe(false);
    expect(isUseful(one, facts({ now: undefined, lastBatch: { to: "t9" } }))).toBe(false);
    expect(isUseful(one, facts({ now: verifying("t9", ["c"]), lastBatch: { to: "t1" } }))).toBe(
      false,
    );
  });

  it("depends on all batches before it", () => {
    const second = ahead(2, "t2", "t3");
    expect(isUseful(second, facts({ aheads: [one] }))).toBe(true);
    expect(isUseful(second, facts({ aheads: [{ ...one, isPassed: false }] }))).toBe(false);
    expect(isUseful(second, facts({ aheads: [] }))).toBe(false);
    const red = verifying("t1", ["a", "b"], { isRed: true });
    expect(isUseful(second, facts({ now: red, aheads: [one] }))).toBe(false);
  });
});

describe("the batch of a lander", () => {
  const batch = ["c", "d", "e"].map((name, at) => entry(name, at));
  const aligned = (aheads: Ahead[], to: string): string =>
    alignWithAhead(batch, { lastBatch: { to }, aheads })
      .map(({ name }) => name)
      .join(",");

  it("is the one that was verified ahead, if the batch below it landed", () => {
    expect(aligned([ahead(1, "t1", "t2")], "t1")).toBe("c,d");
  });

  it("is its own in all other cases", () => {
    expect(aligned([ahead(1, "t1", "t2")], "t9")).toBe("c,d,e");
    expect(aligned([ahead(1, "t1", "t2", { isPassed: false })], "t1")).toBe("c,d,e");
    expect(aligned([ahead(1, "t1", "t2", { entries: ["d"] })], "t1")).toBe("c,d,e");
    expect(aligned([], "t1")).toBe("c,d,e");
  });
});
