import { describe, expect, it } from "vitest";
import type { StoryState } from "../story/state.ts";
import { endOf, schedule, type ScheduledStory, type ScheduleRules } from "./schedule.ts";

const story = (
  id: string,
  state: StoryState,
  more: Partial<ScheduledStory> = {},
): ScheduledStory => ({
  id,
  state,
  waitsFor: [],
  priority: 3,
  isGivenUp: false,
  ...more,
});

const RULES: ScheduleRules = { parallel: 2, mayMerge: false, overlap: () => false };

describe("an epic's run starts", () => {
  it("what is ready or was interrupted, as many as there is room for", () => {
    const stories = [story("a", "ready"), story("b", "interrupted"), story("c", "ready")];
    const next = schedule(stories, RULES);
    expect(next.start).toEqual(["a", "b"]);
    expect(next.held.get("c")).toBe("2 are at work");
  });

  it("nothing beside what is at work already, beyond its number", () => {
    const stories = [story("a", "running"), story("b", "stalled"), story("c", "ready")];
    expect(schedule(stories, RULES)).toMatchObject({ start: [], isOver: false });
  });

  it("never two that may write the same files, also beside one that is at work", () => {
    const overlap = (one: string, other: string): boolean => one !== "c" && other !== "c";
    const stories = [story("a", "running"), story("b", "ready"), story("c", "ready")];
    const next = schedule(stories, { ...RULES, overlap });
    expect(next.start).toEqual(["c"]);
    expect(next.held.get("b")).toBe("a may write the same files");
  });

  it("the urgent first, then what others wait for, then in the epic's order", () => {
    const stories = [
      story("late", "ready"),
      story("needed", "ready"),
      story("urgent", "ready", { priority: 0 }),
      story("waits", "waiting", { waitsFor: ["needed"] }),
    ];
    expect(schedule(stories, { ...RULES, parallel: 9 }).start).toEqual([
      "urgent",
      "needed",
      "late",
    ]);
  });

  it("nothing that waits, is blocked, failed, finished, or was given up", () => {
    const stories = [
      story("a", "waiting", { waitsFor: ["b"] }),
      story("b", "failed"),
      story("c", "blocked"),
      story("d", "completed"),
      story("e", "review"),
      story("f", "ready", { isGivenUp: true }),
      story("g", "ready", { waitsFor: ["b"] }),
      story("h", "pending"),
    ];
    expect(schedule(stories, RULES)).toMatchObject({ start: [], merge: [], isOver: true });
    expect(endOf(stories).open.map(({ id }) => id)).toEqual(["a", "b", "c", "e", "f", "g", "h"]);
  });
});

it("merges what has passed, where that is its business, and not what was refused", () => {
  const stories = [story("a", "review"), story("b", "review", { isGivenUp: true })];
  expect(schedule(stories, { ...RULES, mayMerge: true })).toMatchObject({
    merge: ["a"],
    isOver: false,
  });
  expect(schedule(stories, RULES)).toMatchObject({ merge: [], isOver: true });
});

it("is done when every story is", () => {
  expect(endOf([story("a", "completed")])).toEqual({ isDone: true, open: [] });
});
