import { describe, expect, it } from "vitest";
import type { Epic } from "../../story/definition/epic.ts";
import type { Run } from "../../story/state/run.ts";
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
  const cost = (run: Partial<Run>, hasWorker = false) =>
    costToday([{ story: "a", costUsd: 2, ...run } as Run], {
      nowMs: now.getTime(),
      hasWorker: () => hasWorker,
    });

  it.each<[isCounted: boolean, name: string, run: Partial<Run>, hasWorker?: boolean]>([
    [true, "a run of today", { startedAt: hoursAgo(2), endedAt: hoursAgo(1) }],
    [true, "a run that ended today", { startedAt: hoursAgo(20), endedAt: hoursAgo(1) }],
    [false, "a run of yesterday", { startedAt: hoursAgo(20), endedAt: hoursAgo(13) }],
    [true, "a run of yesterday that is still running", { startedAt: hoursAgo(20) }, true],
    [false, "a run of yesterday whose worker was killed", { startedAt: hoursAgo(20) }],
  ])("is counted (%s): %s", (isCounted, _, run, hasWorker) => {
    expect(cost(run, hasWorker).costTodayUsd).toBe(isCounted ? 2 : 0);
  });

  it("is an estimate if one of its runs is", () => {
    const today = { startedAt: hoursAgo(1), endedAt: hoursAgo(0.5) };
    expect(cost({ ...today, costIsEstimate: true }).costTodayIsEstimate).toBe(true);
    expect(cost(today).costTodayIsEstimate).toBeUndefined();
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
