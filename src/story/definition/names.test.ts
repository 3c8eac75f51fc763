import { describe, expect, it } from "vitest";
import { SagaError } from "../../errors.ts";
import {
  epicOfSession,
  epicSession,
  DEFAULT_SESSION_DIR,
  environmentOfStory,
  epicBranch,
  idProblem,
  MAX_ID_LENGTH,
  requireId,
  requireStoryName,
  sessionOutput,
  storyBranch,
  storyIdProblem,
  storyOfBranch,
  storyOfEnvironment,
  storyOfSession,
  storyOfTaskList,
  storyOfWorktree,
  storyPattern,
  storySession,
  storyTaskList,
  storyWorktree,
  suggestId,
} from "./names.ts";

const KINDS = ["epic", "story", "task"] as const;

const MS = 1_707_000_123_456;

function refusalOf(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    if (!(error instanceof SagaError)) throw error;
    const { code, message, hint } = error;
    return { code, message, hint };
  }
  throw new Error("nothing was refused");
}

describe("an id", () => {
  it.each(["a", "7a", "add-login", "a1-b2-c3", "2fa"])("may be %s", (id) => {
    for (const kind of KINDS) expect(idProblem(kind, id)).toBeUndefined();
  });

  it.each([
    ["Add-login", "upper case"],
    ["add login", "a space"],
    ["add_login", "an underscore"],
    ["-login", "a dash at its start"],
    ["login-", "a dash at its end"],
    ["login--", "a separator with nothing behind it"],
    ["--login", "a separator with nothing before it"],
    ["a---b", "three dashes"],
    ["a/b", "a slash"],
    ["../a", "a way out of its folder"],
    [".", "a dot"],
    ["é", "a letter with an accent"],
    ["a\n", "a line break at its end"],
    ["a\u0000", "a null character"],
  ])("may not be %j, which holds %s", (id) => {
    for (const kind of KINDS) expect(idProblem(kind, id)).toContain("may only contain");
  });

  it("may not be empty", () => {
    for (const kind of KINDS) expect(idProblem(kind, "")).toBe("is empty");
  });

  it("has at most 100 characters", () => {
    expect(MAX_ID_LENGTH).toBe(100);
    for (const kind of KINDS) {
      expect(idProblem(kind, "a".repeat(100))).toBeUndefined();
      expect(idProblem(kind, "a".repeat(101))).toBe("is longer than 100 characters");
    }
  });

  it("joins levels with two dashes, for stories and epics", () => {
    for (const id of ["user-auth--setup-db", "user-auth--api--endpoints"]) {
      expect(idProblem("story", id)).toBeUndefined();
      expect(idProblem("epic", id)).toBeUndefined();
    }
  });

  it("has one level only, for tasks", () => {
    expect(idProblem("task", "setup--db")).toContain("single dashes");
  });
});

describe("a task id", () => {
  it("is never all digits, because Claude numbers its own tasks", () => {
    expect(idProblem("task", "1")).toContain("all digits");
    expect(idProblem("task", "2026")).toContain("Claude numbers its own tasks");
    expect(idProblem("task", "1-2")).toBeUndefined();
  });

  it("is never the name of the file of its story or epic", () => {
    expect(idProblem("task", "story")).toContain("is reserved: story.json");
    expect(idProblem("task", "epic")).toContain("is reserved: epic.json");
  });

  it("has stricter rules than that of a story or an epic, which may be digits or `story`", () => {
    for (const id of ["2026", "story", "epic"]) {
      expect(idProblem("story", id)).toBeUndefined();
      expect(idProblem("epic", id)).toBeUndefined();
    }
  });
});

describe("the name of a story", () => {
  it.each(["auto-1", "auto-12", "auto-daemon"])(
    "is never %s, which is a name of the pool",
    (id) => {
      expect(storyIdProblem(id)).toContain("is reserved for the workers of the pool");
      expect(new RegExp(storyPattern()).test(id)).toBe(false);
      // For git and the records of runs, a worker of the pool is like a story.
      expect(idProblem("story", id)).toBeUndefined();
      expect(refusalOf(() => requireStoryName(id))).toEqual({
        code: "bad-id",
        message: `The story id "${id}" is reserved for the workers of the pool.`,
        hint: "Use a form like `add-login`.",
      });
    },
  );

  it.each(["auto", "auto-1-2", "auto-one", "auto--1", "auto-daemons", "my-auto-1"])(
    "may be %s",
    (id) => {
      expect(requireStoryName(id)).toBe(id);
      expect(new RegExp(storyPattern()).test(id)).toBe(true);
    },
  );
});

describe("requireId", () => {
  it("returns a valid id", () => {
    expect(requireId("story", "add-login")).toBe("add-login");
  });

  it("refuses an invalid id with the rule and the nearest valid id", () => {
    expect(refusalOf(() => requireId("story", "Add Login"))).toEqual({
      code: "bad-id",
      message:
        'The story id "Add Login" may only contain lower-case letters, digits and single dashes, with `--` between levels.',
      hint: "Try `add-login`.",
    });
  });

  it("shows an example when there is no valid id near it", () => {
    expect(refusalOf(() => requireId("task", "12"))).toMatchObject({
      code: "bad-id",
      hint: "Use a form like `add-login`.",
    });
  });
});

describe("a suggested id", () => {
  it.each([
    ["Add a login page!", "add-a-login-page"],
    ["  Über  café ", "uber-cafe"],
    ["add_login", "add-login"],
    ["-a-", "a"],
    ["user-auth--Setup DB", "user-auth--setup-db"],
    ["a---b", "a--b"],
    ["--a", "a"],
  ])("for %j is %s", (text, id) => {
    expect(suggestId("story", text)).toBe(id);
  });

  it("splits levels at two dashes only, not at a dash between words", () => {
    expect(suggestId("story", "Sign in - second try")).toBe("sign-in-second-try");
  });

  it("has one level for a task", () => {
    expect(suggestId("task", "setup--db")).toBe("setup-db");
  });

  it("is cut to the maximum length, and does not end in a dash", () => {
    expect(suggestId("story", "a".repeat(300))).toBe("a".repeat(100));
    expect(suggestId("story", `${"a".repeat(99)}-b`)).toBe("a".repeat(99));
  });

  it.each(["", "???", "12", "Story"])("does not exist for the task %j", (text) => {
    expect(suggestId("task", text)).toBeUndefined();
  });
});

describe("the names of things", () => {
  it("follow from the id alone", () => {
    expect(storyBranch("user-auth--setup-db")).toBe("story/user-auth--setup-db");
    expect(epicBranch("user-auth")).toBe("epic/user-auth");
    expect(storyWorktree("user-auth--setup-db")).toBe(".saga/worktrees/user-auth--setup-db");
  });

  it("contain a time in milliseconds where they belong to one session", () => {
    expect(storySession("user-auth--setup-db", MS)).toBe(`saga-story-user-auth--setup-db-${MS}`);
    expect(storyTaskList("user-auth--setup-db", MS)).toBe(`saga__user-auth--setup-db__${MS}`);
  });

  it("put a session's output into the session folder, by default /tmp/saga-sessions", () => {
    expect(DEFAULT_SESSION_DIR).toBe("/tmp/saga-sessions");
    expect(sessionOutput("/var/s", "saga-story-a-1")).toBe("/var/s/saga-story-a-1.out");
  });

  it.each(["add-login", "fix-2", "2026", "a--b--c", "story-x", `a-${MS}`, "stories"])(
    "lead back to the story %s",
    (id) => {
      expect(storyOfBranch(storyBranch(id))).toBe(id);
      expect(storyOfWorktree(storyWorktree(id))).toBe(id);
      expect(storyOfSession(storySession(id, MS))).toEqual({ storyId: id, startedAtMs: MS });
      expect(storyOfTaskList(storyTaskList(id, MS))).toBe(id);
      expect(epicOfSession(epicSession(id, MS))).toBe(id);
    },
  );
});

describe("the environment of a story", () => {
  const made = environmentOfStory({
    storyId: "user-auth--setup-db",
    taskListId: `saga__user-auth--setup-db__${MS}`,
    projectDir: "/project",
    sessionDir: "/tmp/saga-sessions",
  });

  it("names the story twice, once for older readers", () => {
    expect(made).toEqual({
      SAGA_STORY_ID: "user-auth--setup-db",
      SAGA_STORY_PATH: "user-auth--setup-db",
      SAGA_STORY_TASK_LIST_ID: `saga__user-auth--setup-db__${MS}`,
      SAGA_PROJECT_DIR: "/project",
      SAGA_TASK_CONTEXT: "story-worktree",
      SAGA_SESSION_DIR: "/tmp/saga-sessions",
    });
  });

  it("leads back to the story", () => {
    expect(storyOfEnvironment(made)).toBe("user-auth--setup-db");
  });

  it.each([
    [{ SAGA_STORY_ID: "a", SAGA_STORY_PATH: "b" }, "a"],
    [{ SAGA_STORY_ID: "", SAGA_STORY_PATH: "b" }, "b"],
    [{ SAGA_STORY_PATH: "b", SAGA_EPIC_SLUG: "e", SAGA_STORY_SLUG: "s" }, "b"],
    [{ SAGA_EPIC_SLUG: "e", SAGA_STORY_SLUG: "s" }, "e--s"],
    [{ SAGA_STORY_ID: "../a", SAGA_EPIC_SLUG: "e", SAGA_STORY_SLUG: "s" }, undefined],
    [{ SAGA_EPIC_SLUG: "e" }, undefined],
    [{ SAGA_STORY_SLUG: "s" }, undefined],
    [{}, undefined],
  ])("is read from the current variable, its alias, then the older pair: %j is %s", (env, id) => {
    expect(storyOfEnvironment(env)).toBe(id);
  });
});
