import { describe, expect, it } from "vitest";
import type { StoryState } from "../story/state.ts";
import type { PlainStory } from "../store/plain-story.ts";
import { lostStoryContext, mainContext, storyContext, type OwnStory } from "./session-context.ts";

const STORY: PlainStory = {
  title: "Add a login page",
  description: "People need to log in.",
  guidance: "Use the form kit.",
  doneWhen: undefined,
  avoid: undefined,
  status: "in_progress",
  tasks: [
    { id: "form", subject: "Build the form", status: "completed", blockedBy: [], checks: [] },
    { id: "page", subject: "Show it", status: "pending", blockedBy: ["form"], checks: [] },
  ],
  journal: "",
};

const own = (more: Partial<OwnStory> = {}): OwnStory => ({
  id: "add-login",
  story: STORY,
  state: "ready",
  checkout: "/p/.saga/worktrees/add-login",
  context: "story-worktree",
  questions: [],
  ...more,
});

const leftOver = (state: StoryState, hasUncommitted: boolean | undefined) => ({
  id: "other",
  state,
  worktree: ".saga/worktrees/other",
  hasUncommitted,
});

describe("a session in the main checkout", () => {
  it("is told about Saga, and nothing else when nothing is left over", () => {
    expect(mainContext([])).toContain("run with Saga");
    expect(mainContext([])).not.toContain("\n");
  });

  it.each([
    ["interrupted", true, "was in flight when its worker ended", "has uncommitted changes"],
    ["interrupted", false, "was in flight", "is clean"],
    ["failed", undefined, "failed", "cannot be read by git"],
    ["blocked", false, "asks a question", "`saga resolve other`"],
    ["review", false, "waits for a review", "/saga:review-story other"],
  ] as const)("is told what was left %s, and asked: %s", (state, isDirty, ...said) => {
    const text = mainContext([leftOver(state, isDirty)]);
    for (const part of said) expect(text).toContain(part);
    expect(text).toContain('".saga/worktrees/other"');
    expect(text).toContain("ask for each what to do");
  });
});

describe("a session in a story's worktree", () => {
  it("is told the story, its tasks and its bounds", () => {
    const text = storyContext(own(), []);
    expect(text).toContain("story add-login: Add a login page");
    expect(text).toContain("Guidance: Use the form kit.");
    expect(text).toContain("- form (completed): Build the form\n- page (pending): Show it");
    expect(text).toContain("refused");
    expect(text).not.toContain("Done when");
    expect(text).not.toContain("worker is at work");
  });

  it("is told when a worker is at work there, and what is asked", () => {
    expect(storyContext(own({ state: "running" }), [])).toContain("change nothing under its hands");
    const text = storyContext(own({ state: "blocked", questions: ["Which database?"] }), []);
    expect(text).toContain("- Which database?");
  });

  it("is told no more than Claude Code takes", () => {
    const story = { ...STORY, description: "x".repeat(50_000) };
    const text = storyContext(own({ story }), []);
    expect(text).toHaveLength(9_000);
    expect(text).toMatch(/saga show add-login` has all of it\)$/);
  });

  it("whose files are gone is told that", () => {
    expect(lostStoryContext("add-login", "story-worktree")).toContain("saga validate");
  });
});

describe("a session in the main checkout whose environment names a story", () => {
  it("is told that story, and may work in the main checkout", () => {
    const text = storyContext(own({ checkout: "/p", context: "main" }), []);
    expect(text).toContain("was started for the Saga story (its environment says so) add-login");
    expect(text).toContain('Work on files in "/p" only. Worktrees, other stories');
    expect(lostStoryContext("add-login", "main")).toContain("its environment says so");
  });
});
