import { describe, expect, it } from "vitest";
import type { StoryState } from "../story/state/state.ts";
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
  ...more,
});

const RULES: ScheduleRules = { parallel: 2, mayMerge: false, overlap: () => false };

describe("an epic's run starts", () => {
  it("what is ready or was left in the middle, as many as there is room for", () => {
    const stories = [story("a", "ready"), story("b", "killed"), story("c", "ready")];
    const next = schedule(stories, RULES);
    expect(next.start).toEqual(["a", "b"]);
    expect(next.waiting).toEqual([{ id: "c", why: "2 are at work" }]);
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
    expect(next.waiting).toEqual([{ id: "b", why: "a may write the same files" }]);
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
      story("f", "ready", { givenUp: "it was tried" }),
      story("g", "ready", { waitsFor: ["b"] }),
      story("h", "pending"),
    ];
    expect(schedule(stories, RULES)).toMatchObject({ start: [], merge: [], isOver: true });
    expect(endOf(stories, schedule(stories, RULES)).open.map(({ id }) => id)).toEqual([
      "a",
      "b",
      "c",
      "e",
      "f",
      "g",
      "h",
    ]);
  });
});

it("merges what has passed, where that is its business, and not what was refused", () => {
  const stories = [story("a", "review"), story("b", "review", { givenUp: "it was tried" })];
  expect(schedule(stories, { ...RULES, mayMerge: true })).toMatchObject({
    merge: ["a"],
    isOver: false,
  });
  expect(schedule(stories, RULES)).toMatchObject({ merge: [], isOver: true });
});

it("is done when every story is", () => {
  const end = endOf([story("a", "completed")], { waiting: [] });
  expect(end).toEqual({ isDone: true, open: [], waiting: [], hasReachedLimit: false });
});

describe("a story of an epic waits, and it is said why", () => {
  const whyOf = (...stories: ScheduledStory[]): Record<string, string> =>
    Object.fromEntries(schedule(stories, RULES).waiting.map(({ id, why }) => [id, why]));

  it("for one that comes first, with what is the matter with that", () => {
    const after = (...waitsFor: string[]): ScheduledStory => story("z", "waiting", { waitsFor });
    expect(whyOf(story("a", "running"), after("a"))).toEqual({ z: "a comes first" });
    expect(whyOf(story("a", "failed"), after("a"))).toEqual({
      z: "a comes first, and has failed",
    });
    expect(whyOf(story("a", "blocked"), story("b", "review"), after("a", "b"))).toEqual({
      z: "a comes first, and has a question for you; b comes first, and is not merged yet",
    });
    expect(whyOf(after("a"))).toEqual({ z: "a comes first, and is no story of the epic" });
    const fault = "there is no such story";
    expect(whyOf(story("a", "pending", { fault }), after("a"))).toEqual({
      a: fault,
      z: `a comes first, and ${fault}`,
    });
  });

  it("for itself, round a circle, and the others go on", () => {
    const stories = [
      story("a", "waiting", { waitsFor: ["b"] }),
      story("b", "waiting", { waitsFor: ["a"] }),
      story("behind", "waiting", { waitsFor: ["a"] }),
      story("free", "ready"),
    ];
    expect(whyOf(...stories)).toEqual({
      a: "it waits for itself: a after b after a",
      b: "it waits for itself: b after a after b",
      behind: "a comes first",
    });
    expect(schedule(stories, RULES)).toMatchObject({ start: ["free"], isOver: false });
    expect(schedule(stories.slice(0, 3), RULES)).toMatchObject({ start: [], isOver: true });
  });

  it("because it is broken, or was given up", () => {
    expect(
      whyOf(
        story("a", "ready", { fault: "its files cannot be read" }),
        story("b", "limit", { givenUp: "it has reached a limit" }),
      ),
    ).toEqual({ a: "its files cannot be read", b: "it has reached a limit" });
  });

  it("and those that only a person can bring on are not among them", () => {
    expect(whyOf(story("a", "failed"), story("b", "blocked"), story("c", "review"))).toEqual({});
  });
});
