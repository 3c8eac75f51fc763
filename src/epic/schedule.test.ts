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

const RULES: ScheduleRules = { parallel: 2, mayMerge: false, whyNotTogether: () => undefined };

describe("an epic's run starts", () => {
  it("ready and interrupted stories, up to its number", () => {
    const stories = [story("a", "ready"), story("b", "killed"), story("c", "ready")];
    const next = schedule(stories, RULES);
    expect(next.start).toEqual(["a", "b"]);
    expect(next.waiting).toEqual([{ id: "c", why: "2 stories are running" }]);
  });

  it("none when that many are already running", () => {
    const stories = [story("a", "running"), story("b", "stalled"), story("c", "ready")];
    expect(schedule(stories, RULES)).toMatchObject({ start: [], isOver: false });
  });

  it("never two that may write the same files, also next to a running one", () => {
    const whyNotTogether = (one: string, other: string) =>
      one !== "c" && other !== "c" ? "same-files" : undefined;
    const stories = [story("a", "running"), story("b", "ready"), story("c", "ready")];
    const next = schedule(stories, { ...RULES, whyNotTogether });
    expect(next.start).toEqual(["c"]);
    expect(next.waiting).toEqual([{ id: "b", why: "a may write the same files" }]);
  });

  it("by priority, then by number of dependents, then in the epic's order", () => {
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

  it("no story that waits, is blocked, failed or completed, or is skipped", () => {
    const stories = [
      story("a", "waiting", { waitsFor: ["b"] }),
      story("b", "failed"),
      story("c", "blocked"),
      story("d", "completed"),
      story("e", "review"),
      story("f", "ready", { skipReason: "was not merged" }),
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

it("starts others while a story is being merged, and is not over before that", () => {
  const merging = story("a", "review", { isMerging: true });
  const next = schedule([merging, story("b", "ready")], {
    ...RULES,
    parallel: 1,
    whyNotTogether: (_id, _other, { isMerging }) => (isMerging ? undefined : "same-files"),
  });
  expect(next).toMatchObject({ start: ["b"], waiting: [], isOver: false });
  expect(schedule([merging], RULES).isOver).toBe(false);
});

it("does not merge a story that is being merged", () => {
  const stories = [story("a", "review", { isMerging: true }), story("b", "review")];
  expect(schedule(stories, { ...RULES, mayMerge: true }).merge).toEqual(["b"]);
});

it("merges stories in review if it may, except skipped ones", () => {
  const stories = [story("a", "review"), story("b", "review", { skipReason: "was not merged" })];
  expect(schedule(stories, { ...RULES, mayMerge: true })).toMatchObject({
    merge: ["a"],
    isOver: false,
  });
  expect(schedule(stories, RULES)).toMatchObject({ merge: [], isOver: true });
});

it("is done when every story is completed", () => {
  const end = endOf([story("a", "completed")], { waiting: [] });
  expect(end).toEqual({ isDone: true, open: [], waiting: [], hasReachedLimit: false });
});

describe("the reason why a story waits", () => {
  const whyOf = (...stories: ScheduledStory[]): Record<string, string> =>
    Object.fromEntries(schedule(stories, RULES).waiting.map(({ id, why }) => [id, why]));

  it("names the dependency and its problem", () => {
    const after = (...waitsFor: string[]): ScheduledStory => story("z", "waiting", { waitsFor });
    expect(whyOf(story("a", "running"), after("a"))).toEqual({ z: "needs a" });
    expect(whyOf(story("a", "failed"), after("a"))).toEqual({
      z: "needs a (failed)",
    });
    expect(whyOf(story("a", "blocked"), story("b", "review"), after("a", "b"))).toEqual({
      z: "needs a (has a question for you); needs b (not merged yet)",
    });
    expect(whyOf(after("a"))).toEqual({ z: "needs a, which is not a story of the epic" });
    const problem = "does not exist";
    expect(whyOf(story("a", "pending", { problem }), after("a"))).toEqual({
      a: problem,
      z: `needs a (${problem})`,
    });
  });

  it("names the cycle, while other stories start", () => {
    const stories = [
      story("a", "waiting", { waitsFor: ["b"] }),
      story("b", "waiting", { waitsFor: ["a"] }),
      story("behind", "waiting", { waitsFor: ["a"] }),
      story("free", "ready"),
    ];
    expect(whyOf(...stories)).toEqual({
      a: "depends on itself: a → b → a",
      b: "depends on itself: b → a → b",
      behind: "needs a",
    });
    expect(schedule(stories, RULES)).toMatchObject({ start: ["free"], isOver: false });
    expect(schedule(stories.slice(0, 3), RULES)).toMatchObject({ start: [], isOver: true });
  });

  it("is the problem of an invalid story, or why it is skipped", () => {
    expect(
      whyOf(
        story("a", "ready", { problem: "its files are invalid" }),
        story("b", "limit", { skipReason: "reached a limit" }),
      ),
    ).toEqual({ a: "its files are invalid", b: "reached a limit" });
  });

  it("is left out for states that need a person", () => {
    expect(whyOf(story("a", "failed"), story("b", "blocked"), story("c", "review"))).toEqual({});
  });
});
