import { describe, expect, it } from "vitest";
import { timelineOf } from "../../../../test/support/page/details.ts";
import { aCard, aShop } from "../../../../test/support/page/fixture.ts";
import { FIXTURE_NOW } from "../../../../test/support/page/moment.ts";
import type { PoolTaskCard } from "../../protocol/messages.ts";
import { POOL_LOOKS } from "../words/states.ts";
import { ALL_LABELS, groupTasks, labelsOf } from "../pool/pool-groups.ts";
import { filterStories, looseStories, readFilter, writeFilter } from "./story-filter.ts";
import { addressOf, endOf, lanesOf, placeOf, spanOf, ticksOf } from "../timeline/timeline-scale.ts";

const stories = Object.values(aShop().stories);
const tasks = aShop().pool["bookshop"]?.tasks ?? [];

describe("the filter of stories", () => {
  const read = (text: string) => readFilter(new URLSearchParams(text));

  it("is in the address, and reads back what it wrote", () => {
    const filter = { search: "tax & more", state: "needs-you" } as const;
    expect(read(writeFilter(filter))).toEqual(filter);
    expect(writeFilter({ search: "", state: "all" })).toBe("");
    expect(read("state=nonsense")).toEqual({ search: "", state: "all" });
  });

  it("finds by title, id and label", () => {
    const find = (search: string) =>
      filterStories(stories, { search, state: "all" }).map(({ id }) => id);
    expect(find("money")).toEqual(["checkout--payment", "checkout--prices"]);
    expect(find("SIGN mail")).toEqual(["accounts--sign-in"]);
  });

  it("puts first what needs somebody, then what runs", () => {
    const states = filterStories(stories, { search: "", state: "all" }).map(({ state }) => state);
    expect(states.slice(0, 5)).toEqual(["blocked", "failed", "review", "running", "running"]);
  });
});

it("stories without an epic are those that are to be done and that nothing else on Home shows", () => {
  const cards = [
    aCard("loose", "Loose", "waiting"),
    aCard("next", "Ready to start", "ready"),
    aCard("lost", "Its epic is gone", "pending", { epic: "no-such-epic" }),
    aCard("held", "Its epic shows it", "ready", { epic: "checkout" }),
    aCard("asks", "Needs you", "failed"),
    aCard("works", "Runs", "running"),
    aCard("done", "Completed", "completed"),
  ];
  const shown = { ...aShop(), stories: Object.fromEntries(cards.map((card) => [card.id, card])) };
  expect(looseStories(shown).map(({ id }) => id)).toEqual(["loose", "lost"]);
});

it("a run that was killed is not drawn as if it went on", () => {
  const bar = { story: "a", run: "1", startedAt: "2026-11-16T10:00:00.000Z", costUsd: 0 };
  const [start, now] = [Date.parse(bar.startedAt), Date.parse("2026-11-16T12:00:00.000Z")];
  expect(endOf(bar, true, now)).toBe(now);
  expect(endOf(bar, false, now)).toBe(start);
  expect(endOf({ ...bar, endedAt: "2026-11-16T10:30:00.000Z" }, false, now)).toBe(
    start + 1_800_000,
  );
});

describe("the pool's tasks", () => {
  it("are grouped by state, each in the order in which they will be taken", () => {
    const groups = groupTasks(tasks, ALL_LABELS);
    expect(groups.map(({ state }) => state)).toEqual([
      "needs-you",
      "working",
      "ready",
      "waiting",
      "completed",
    ]);
    expect(groups[2]?.tasks.map(({ id }) => id)).toEqual(["19", "22", "23"]);
  });

  it("of every state have a group", () => {
    const [task] = tasks;
    const states = Object.keys(POOL_LOOKS) as PoolTaskCard["state"][];
    const all = task ? states.map((state) => ({ ...task, id: state, state })) : [];
    expect(new Set(groupTasks(all, ALL_LABELS).map(({ state }) => state))).toEqual(new Set(states));
  });

  it("can be narrowed to a label", () => {
    expect(labelsOf(tasks)).toEqual(["docs", "ops", "speed", "upkeep"]);
    expect(groupTasks(tasks, "speed").flatMap((group) => group.tasks)).toHaveLength(2);
  });
});

describe("the timeline", () => {
  const { bars } = timelineOf();
  const live = new Set(bars.filter(({ endedAt }) => endedAt === undefined).map(({ run }) => run));
  const span = spanOf(bars, live, FIXTURE_NOW);

  it("has a lane for each story, whoever worked last on top", () => {
    const lanes = lanesOf(bars);
    expect(lanes[0]?.story).toBe("accounts--reset");
    expect(lanes.find(({ story }) => story === "accounts--sign-in")).toMatchObject({
      costUsd: 2.76,
      bars: [{ outcome: "failed" }, { outcome: "done" }],
    });
  });

  it("holds every bar, and nothing outside of it", () => {
    for (const { startedAt } of bars) {
      expect(placeOf(Date.parse(startedAt), span)).toBeGreaterThan(0);
    }
    expect([placeOf(0, span), placeOf(FIXTURE_NOW * 2, span)]).toEqual([0, 1]);
  });

  it("uses its whole width for the runs there are, whenever they were", () => {
    const [bar] = bars;
    if (bar === undefined) throw new Error("There is a bar.");
    const at = (minutes: number): string => new Date(FIXTURE_NOW + minutes * 60_000).toISOString();
    const runOf = (from: number, to: number) => ({ ...bar, startedAt: at(from), endedAt: at(to) });
    const day = [runOf(-400, -390), runOf(-380, -360)];
    const { fromMs, toMs } = spanOf(day, new Set(), FIXTURE_NOW);
    expect((toMs - fromMs) / 60_000).toBeLessThan(45);
    const short = spanOf([runOf(-2, -1)], new Set(), FIXTURE_NOW);
    expect((short.toMs - short.fromMs) / 60_000).toBeGreaterThanOrEqual(10);
  });

  it("ends now while something runs, and with the last run where it was killed", () => {
    const bar = bars.find(({ endedAt }) => endedAt === undefined);
    if (bar === undefined) throw new Error("There is a run without an end.");
    const started = Date.parse(bar.startedAt);
    expect(spanOf([bar], new Set([bar.run]), FIXTURE_NOW).toMs).toBeGreaterThan(FIXTURE_NOW);
    expect(spanOf([bar], new Set(), FIXTURE_NOW).toMs).toBeLessThan(started + 60_000);
  });

  it("has round ticks in local time, as many as fit", () => {
    const zone = 90 * 60_000;
    const ticks = ticksOf(span, 9, zone);
    expect(ticks.length).toBeGreaterThan(3);
    expect(ticks.length).toBeLessThanOrEqual(10);
    for (const tick of ticks) expect((tick + zone) % 3_600_000).toBe(0);
  });
});

it("a lane of the timeline leads to its story, and one of a pool's worker to the pool", () => {
  expect(addressOf({ story: "checkout--prices" })).toBe("/story/checkout--prices/runs");
  expect(addressOf({ story: "auto-12" })).toBe("/pool");
  expect(addressOf({ story: "auto-complete" })).toBe("/story/auto-complete/runs");
});
