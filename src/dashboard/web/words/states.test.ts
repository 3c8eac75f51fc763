import { describe, expect, it } from "vitest";
import { aCard, aShop } from "../../../../test/support/page/fixture.ts";
import type { StoryCard } from "../../protocol/messages.ts";
import { CARD_STATES } from "../pages/story-filter.ts";
import { byUrgency, needsYou, runLook, STORY_LOOKS, taskStatesOf } from "./states.ts";

describe("states", () => {
  it("have a mark each, so that none is shown by colour alone", () => {
    const marks = CARD_STATES.map((state) => STORY_LOOKS[state].mark);
    expect(new Set(marks).size).toBe(CARD_STATES.length);
  });

  it("that need a person are sorted by urgency, and never archived", () => {
    const urgent = Object.values(aShop().stories).filter(needsYou).toSorted(byUrgency);
    expect(urgent.map(({ state }) => state)).toEqual(["blocked", "failed", "review"]);
    expect(needsYou(aCard("a", "A", "failed", { isArchived: true }))).toBe(false);
  });

  it("of a started task: unfinished without a worker, in progress in the older format", () => {
    const tasks = [{ id: "t", subject: "T", status: "in_progress", blockedBy: [] }] as const;
    const stateIn = (more: Partial<StoryCard>) =>
      taskStatesOf(aCard("a", "A", "killed", { tasks, ...more })).get("t");
    expect(stateIn({})).toBe("unfinished");
    expect(stateIn({ state: "in-progress", isLegacy: true })).toBe("in-progress");
  });

  it("of a run without an outcome: running or killed", () => {
    expect(runLook(undefined, undefined, true).word).toBe("Running");
    expect(runLook(undefined, undefined, false).word).toBe("Killed");
    expect(runLook("merged", undefined, false).word).toBe("Merged");
  });
});
