import { describe, expect, it } from "vitest";
import {
  epicOfSession,
  epicSession,
  possibleEpics,
  storyOfBranch,
  storyOfSession,
  storyOfTaskList,
  storyOfWorktree,
  storySession,
} from "./names.ts";

const MS = 1_707_000_123_456;

describe("the story of a branch", () => {
  it("is read from the older form as well", () => {
    expect(storyOfBranch("story-setup-db-epic-user-auth")).toBe("user-auth--setup-db");
  });

  it.each(["main", "epic/user-auth", "story/", "story/A", "story/a/b", "my-story/a", "story-a"])(
    "is undefined for %s",
    (branch) => {
      expect(storyOfBranch(branch)).toBeUndefined();
    },
  );
});

describe("the story of a worktree", () => {
  it.each([
    [".saga/worktrees/setup-db", "setup-db"],
    [".saga/worktrees/user-auth--setup-db/", "user-auth--setup-db"],
    [".saga/worktrees/stories/setup-db", "setup-db"],
    [".saga/worktrees/user-auth/setup-db", "user-auth--setup-db"],
  ])("in %s is %s, in the current layout and the older ones", (path, id) => {
    expect(storyOfWorktree(path)).toBe(id);
  });

  it.each([
    "",
    ".saga",
    ".saga/worktrees",
    ".saga/stories/setup-db",
    "src/worktrees/setup-db",
    ".saga/worktrees/Bad",
    ".saga/worktrees/..",
    ".saga/worktrees/a/b/c",
  ])("is undefined for %j", (path) => {
    expect(storyOfWorktree(path)).toBeUndefined();
  });
});

describe("the story of a session", () => {
  it("is read from the older form, which ended in a process id and has no time", () => {
    expect(storyOfSession("saga-setup-db-4711")).toEqual({ storyId: "setup-db" });
  });

  it.each([
    "work",
    "saga-",
    "saga-a",
    "saga-setup-db-pending",
    `my-saga-story-a-${MS}`,
    `saga-story-A-${MS}`,
    `saga-story-../a-${MS}`,
    `saga-story-a-${MS}.out`,
    "saga-A-12",
    // The run of an epic.
    epicSession("user-auth", MS),
  ])("is undefined for %s", (session) => {
    expect(storyOfSession(session)).toBeUndefined();
  });
});

describe("the epic of a session", () => {
  it.each(["saga-epic-a", "saga-epic-a-12", `saga-epic-A-${MS}`, storySession("epic-a", MS)])(
    "is undefined for %s",
    (session) => {
      expect(epicOfSession(session)).toBeUndefined();
    },
  );
});

describe("the story of a task list", () => {
  it("is read from the older form, without a time", () => {
    expect(storyOfTaskList("saga__user-auth--setup-db")).toBe("user-auth--setup-db");
  });

  it.each(["default", "saga__", "saga__A__1", "saga__a__b", "saga__a__1__2", "saga_a"])(
    "is undefined for %s",
    (list) => {
      expect(storyOfTaskList(list)).toBeUndefined();
    },
  );
});

describe("the epics that a story may belong to by its name", () => {
  it("are every prefix of its levels, nearest first", () => {
    expect(possibleEpics("user-auth--api--tokens")).toEqual(["user-auth--api", "user-auth"]);
    expect(possibleEpics("user-auth--api")).toEqual(["user-auth"]);
    expect(possibleEpics("user-auth")).toEqual([]);
  });
});
