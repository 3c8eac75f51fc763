import { describe, expect, it } from "vitest";
import type { Epic } from "../../story/definition/epic.ts";
import type { Run } from "../../story/state/run.ts";
import { localDay } from "../../text/local-day.ts";
import type { StoryCard } from "../protocol/messages.ts";
import { costToday, epicCard, problemCard } from "./cards.ts";

describe("an epic's card", () => {
  const epic = {
    id: "auth",
    title: "Auth",
    children: [{ id: "login", blockedBy: [] }],
  } as unknown as Epic;
  const cardWith = (story: Pick<StoryCard, "state" | "isBegun"> | undefined, isUnmerged = false) =>
    epicCard({
      epic,
      cardOf: () => story as StoryCard | undefined,
      isRunning: false,
      isUnmerged,
      version: 1,
    });

  it("counts a missing story as not started", () => {
    expect(cardWith(undefined).status).toBe("pending");
  });

  it("counts a story of the older format that is in progress as started", () => {
    expect(cardWith({ state: "in-progress", isBegun: false }).status).toBe("in_progress");
  });

  it("awaits its merge only if all stories are completed and its branch is not merged", () => {
    const done = { state: "completed", isBegun: true } as const;
    expect(cardWith(done, true).awaitsMerge).toBe(true);
    expect(cardWith(done, false).awaitsMerge).toBeUndefined();
    expect(cardWith({ state: "ready", isBegun: true }, true).awaitsMerge).toBeUndefined();
  });
});

describe("today's cost", () => {
  const now = new Date(2026, 10, 18, 12);
  const hoursAgo = (hours: number): string =>
    new Date(now.getTime() - hours * 3_600_000).toISOString();
  const cost = (run: Partial<Run>) =>
    costToday([{ story: "a", costUsd: 2, ...run } as Run], now.getTime());
  const [today, yesterday] = [localDay(now.getTime()), localDay(now.getTime() - 86_400_000)];
  const byDay = { [yesterday]: 1.5, [today]: 0.5 };

  it.each<[costUsd: number, name: string, run: Partial<Run>]>([
    [2, "a run of today", { startedAt: hoursAgo(2), endedAt: hoursAgo(1) }],
    [0, "a run of yesterday", { startedAt: hoursAgo(20), endedAt: hoursAgo(13) }],
    [0.5, "a run that continued after midnight", { startedAt: hoursAgo(20), costByDay: byDay }],
    [
      0.5,
      "one that ended today",
      { startedAt: hoursAgo(20), endedAt: hoursAgo(1), costByDay: byDay },
    ],
    [0, "one of yesterday whose worker was killed", { startedAt: hoursAgo(20) }],
  ])("counts $%d of %s", (costUsd, _, run) => {
    expect(cost(run).costTodayUsd).toBe(costUsd);
  });

  it("is an estimate if one of its runs is", () => {
    const recent = { startedAt: hoursAgo(1), endedAt: hoursAgo(0.5) };
    expect(cost({ ...recent, costIsEstimate: true }).costTodayIsEstimate).toBe(true);
    expect(cost(recent).costTodayIsEstimate).toBeUndefined();
  });
});

it("shows a problem's file relative to the project, with its fix", () => {
  const problem = {
    file: "/p/.saga/a.json",
    line: 3,
    severity: "error",
    message: "Bad.",
    fix: "Fix.",
  } as const;
  expect(problemCard(problem, "/p", "a")).toEqual({
    story: "a",
    file: ".saga/a.json",
    line: 3,
    message: "Bad. Fix.",
  });
});
