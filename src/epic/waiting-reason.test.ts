import { describe, expect, it } from "vitest";
import type { ScheduledStory } from "./schedule.ts";
import { waitingStories } from "./waiting-reason.ts";

const story = (id: string, more: Partial<ScheduledStory> = {}): ScheduledStory => ({
  id,
  state: "waiting",
  waitsFor: [],
  priority: 3,
  ...more,
});
const whys = (stories: readonly ScheduledStory[], held: readonly [string, string][] = []) =>
  Object.fromEntries(waitingStories(stories, new Map(held)).map(({ id, why }) => [id, why]));

describe("why a story waits", () => {
  it("names its dependency, and what keeps that from completing by itself", () => {
    const stories = [
      story("form", { state: "running" }),
      story("api", { state: "failed" }),
      story("page", { waitsFor: ["form", "api"] }),
    ];
    expect(whys(stories)).toEqual({ page: "needs form; needs api (failed)" });
  });

  it("says that its dependency is being merged", () => {
    const page = story("page", { waitsFor: ["form"] });
    expect(whys([story("form", { state: "review" }), page])["page"]).toBe(
      "needs form (not merged yet)",
    );
    expect(whys([story("form", { state: "review", isMerging: true }), page])["page"]).toBe(
      "needs form (being merged)",
    );
  });

  it("names a dependency that is not in the epic", () => {
    expect(whys([story("page", { waitsFor: ["gone"] })])).toEqual({
      page: "needs gone, which is not a story of the epic",
    });
  });

  it("is the whole cycle, from its own side", () => {
    const stories = [story("a", { waitsFor: ["b"] }), story("b", { waitsFor: ["a"] })];
    expect(whys(stories)).toEqual({
      a: "depends on itself: a → b → a",
      b: "depends on itself: b → a → b",
    });
  });

  it("is its own problem before anything else", () => {
    const broken = story("page", { waitsFor: ["form"], problem: "its files are invalid" });
    expect(whys([story("form", { state: "ready" }), broken])["page"]).toBe("its files are invalid");
  });

  it("is the reason of the schedule when it could start", () => {
    const ready = story("page", { state: "ready" });
    expect(whys([ready], [["page", "another story is running"]])).toEqual({
      page: "another story is running",
    });
    expect(whys([{ ...ready, skipReason: "was not merged" }], [["page", "x"]])).toEqual({
      page: "was not merged",
    });
  });

  it("counts a stopped dependency only if this run does not start it again", () => {
    const page = story("page", { waitsFor: ["form"] });
    const form = story("form", { state: "stopped" });
    expect(whys([form, page])["page"]).toBe("needs form");
    expect(whys([{ ...form, skipReason: "was stopped" }, page])["page"]).toBe(
      "needs form (stopped)",
    );
  });

  it("is left out for states that say it themselves", () => {
    expect(whys([story("a", { state: "blocked" }), story("b", { state: "completed" })])).toEqual(
      {},
    );
  });
});
