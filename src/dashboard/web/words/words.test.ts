import { describe, expect, it } from "vitest";
import { detailOf } from "../../../../test/support/page/details.ts";
import { aCard, aShop } from "../../../../test/support/page/fixture.ts";
import type { EpicCard, StoryCard } from "../../protocol/messages.ts";
import { CARD_STATES } from "../pages/story-filter.ts";
import { actionsOf } from "./actions-of.ts";
import { sumOf } from "./epics.ts";
import { ago, clock, count, duration, money, percent, tokens } from "./format.ts";
import { byUrgency, needsYou, runLook, STORY_LOOKS, taskStatesOf } from "./states.ts";
import { storyLook } from "./story-look.ts";
import { unverifiedText } from "./unverified.ts";

describe("numbers", () => {
  it.each([
    [0, "$0"],
    [0.004, "<$0.01"],
    [1.236, "$1.24"],
    [12_345.6, "$12,346"],
  ])("money: %d is %s", (usd, text) => expect(money(usd)).toBe(text));

  it("money that is an estimate says so", () => {
    expect([money(1.1, true), money(0, true)]).toEqual(["~$1.10", "$0"]);
  });

  it.each([
    [0, "0"],
    [999, "999"],
    [12_345, "12.3k"],
    [184_220, "184k"],
    [999_999, "1.0M"],
  ])("tokens: %d is %s", (number, text) => expect(tokens(number)).toBe(text));

  it.each([
    [-5, "0s"],
    [59_999, "59s"],
    [60_000, "1m"],
    [200_000, "3m 20s"],
    [7_500_000, "2h 5m"],
    [273_600_000, "3d 4h"],
  ])("duration: %d ms is %s", (ms, text) => expect(duration(ms)).toBe(text));

  it("counts in words, and knows no division by nothing", () => {
    expect([count(1, "task"), count(1200, "task"), count(2, "story", "stories")]).toEqual([
      "1 task",
      "1,200 tasks",
      "2 stories",
    ]);
    expect([percent(1, 3), percent(0, 0)]).toEqual([33, 0]);
  });
});

describe("times", () => {
  const now = Date.parse("2026-11-16T10:00:00Z");
  it.each([
    ["2026-11-16T10:00:02Z", "just now"],
    ["2026-11-16T09:59:20Z", "40s ago"],
    ["2026-11-16T09:01:00Z", "59m ago"],
    ["2026-11-15T11:00:00Z", "23h ago"],
    ["2026-11-01T10:00:00Z", "15d ago"],
    ["nonsense", "nonsense"],
  ])("%s is %s", (at, text) => expect(ago(at, now)).toBe(text));

  it("shows what is no time as it is", () => expect(clock("nonsense")).toBe("nonsense"));
});

describe("states", () => {
  it("each have a mark or a tone of their own, so that colour is never all there is", () => {
    const marks = CARD_STATES.map((state) => STORY_LOOKS[state].mark);
    expect(new Set(marks).size).toBe(CARD_STATES.length);
  });

  it("need a person in order of urgency, and never in the archive or an older form", () => {
    const urgent = Object.values(aShop().stories).filter(needsYou).toSorted(byUrgency);
    expect(urgent.map(({ state }) => state)).toEqual(["blocked", "failed", "review"]);
    expect(needsYou(aCard("a", "A", "failed", { isArchived: true }))).toBe(false);
  });

  it("of a task in hand: nobody works on it, and of an older form nobody can say so", () => {
    const tasks = [{ id: "t", subject: "T", status: "in_progress", blockedBy: [] }] as const;
    const stateIn = (more: Partial<StoryCard>) =>
      taskStatesOf(aCard("a", "A", "killed", { tasks, ...more })).get("t");
    expect(stateIn({})).toBe("unfinished");
    expect(stateIn({ state: "in-progress", isLegacy: true })).toBe("in-progress");
  });

  it("of a run without an outcome: it goes on, or it was killed", () => {
    expect(runLook(undefined, undefined, true).word).toBe("Running");
    expect(runLook(undefined, undefined, false).word).toBe("Killed");
    expect(runLook("merged", undefined, false).word).toBe("Merged");
  });
});

it("offers nothing that changes an older story", () => {
  for (const state of CARD_STATES) {
    expect(actionsOf(aCard("a", "A", state, { isLegacy: true }))).toEqual([]);
  }
});

describe("what can be done about a story", () => {
  const tasks = (status: "completed" | "pending") => [
    { id: "t", subject: "T", status, blockedBy: [] },
  ];

  it("that failed with all tasks completed: it can be accepted and sent back too", () => {
    const failed = (status: "completed" | "pending") =>
      actionsOf(aCard("a", "A", "failed", { tasks: tasks(status) }));
    expect(failed("completed")).toEqual([
      "resume",
      "accept",
      "reject",
      "verify",
      "discard",
      "start-with",
      "remove",
    ]);
    expect(failed("pending")).toEqual(["resume", "discard", "start-with", "remove"]);
  });

  it("that was accepted: merging comes first, and it is shown as accepted", () => {
    const card = aCard("a", "A", "review", { acceptedAt: "2026-11-16T10:00:00.000Z" });
    expect(actionsOf(card)[0]).toBe("merge");
    expect(storyLook(card).word).toBe("Accepted");
    expect(actionsOf(aCard("a", "A", "review"))[0]).toBe("accept");
  });

  it("that is ready, waiting, running or completed", () => {
    expect(actionsOf(aCard("a", "A", "ready"))).toEqual(["run", "start-with", "remove"]);
    expect(actionsOf(aCard("a", "A", "waiting"))).toEqual(["remove"]);
    expect(actionsOf(aCard("a", "A", "running"))).toEqual(["stop"]);
    expect(actionsOf(aCard("a", "A", "completed"))).toEqual(["archive"]);
  });
});

describe("receipts that this machine cannot verify", () => {
  const say = (unverified: number, state: StoryCard["state"], more: object = {}) =>
    unverifiedText(
      { receipts: [], missing: ["its diff was not looked at"], unverified, ...more },
      { id: "a", state },
    );

  it("are counted, with the command that runs the gate again", () => {
    expect(say(1, "review")).toBe(
      "1 receipt cannot be verified on this machine and does not count: another key sealed it, or none did. `saga run a` runs the gate again; `saga accept a` runs it and accepts.",
    );
    expect(say(2, "killed")).toBe(
      "2 receipts cannot be verified on this machine and do not count: another key sealed them, or none did. The gate runs again when its tasks are done: `saga run a`.",
    );
  });

  it("ask for nothing when it is merged, or when its gate was run here since", () => {
    expect(say(2, "completed")).toMatch(/or none did\. The story is merged: nothing to do\.$/);
    const since = { receipts: detailOf(aCard("a", "A", "review")).receipts, missing: [] };
    expect(say(2, "review", since)).toMatch(/or none did\.$/);
  });
});

it("sums an epic, and counts a child that cannot be read as still to be done", () => {
  const shop = aShop();
  const { checkout } = shop.epics as Record<"checkout", EpicCard>;
  const { [checkout.children[0]?.id ?? ""]: _, ...stories } = shop.stories;
  expect(sumOf(checkout, shop)).toMatchObject({ total: 5, done: 1, costUsd: 7.17 });
  expect(sumOf(checkout, { ...shop, stories }).tones.at(-1)).toEqual(["idle", 3]);
});
