import { describe, expect, it } from "vitest";
import type * as z from "zod";
import {
  branch,
  DEFAULT_PRIORITY,
  epicId,
  glob,
  label,
  oneLine,
  priority,
  prose,
  pullRequest,
  repeatsIn,
  status,
  storyId,
  taskId,
} from "./fields.ts";
import { STATUSES } from "./status.ts";

const accepts = (schema: z.ZodType, value: unknown): boolean => schema.safeParse(value).success;
const messages = (schema: z.ZodType, value: unknown): string[] | undefined =>
  schema.safeParse(value).error?.issues.map((issue) => issue.message);

describe("a stored status", () => {
  it("is one of three values", () => {
    expect(STATUSES).toEqual(["pending", "in_progress", "completed"]);
  });

  it.each(["failed", "blocked", "running", "deleted", "Pending", "", null])(
    "is not %j, because the states that people see are derived",
    (value) => {
      expect(accepts(status, value)).toBe(false);
    },
  );
});

describe("an id field", () => {
  it("follows the rules for ids of its kind, and reports the broken rule", () => {
    expect(accepts(storyId, "user-auth--setup-db")).toBe(true);
    expect(accepts(epicId, "user-auth")).toBe(true);
    expect(messages(taskId, "7")).toEqual([
      "may not be all digits, because Claude numbers its own tasks",
    ]);
    expect(messages(taskId, "story")).toEqual([
      "is reserved: story.json describes the story itself",
    ]);
  });
});

describe("a title", () => {
  it.each([
    ["plain", "Add login"],
    ["in any language", "Größe ändern 🚀"],
    ["200 characters long", "x".repeat(200)],
  ])("may be %s", (_, text) => {
    expect(accepts(oneLine, text)).toBe(true);
  });

  it.each([
    ["empty", "", "is empty"],
    ["blank", "   ", "is empty"],
    ["longer than 200 characters", "x".repeat(201), "is longer than 200 characters"],
  ])("may not be %s", (_, text, message) => {
    expect(messages(oneLine, text)).toEqual([message]);
  });

  it.each([
    ["a line feed", "two\nlines"],
    ["a carriage return", "two\rlines"],
    ["a line separator of Unicode", "two\u2028lines"],
    ["a tab", "a\tb"],
    ["an escape sequence for terminals", "\u001b[2Jgone"],
    ["the one-character form of such a sequence", "\u009b2Jgone"],
  ])("may not contain %s, because it is shown in one line of a terminal", (_, text) => {
    expect(messages(oneLine, text)).toEqual(["contains a line break or control character"]);
  });
});

describe("a text", () => {
  it("may have many lines, and may not be blank", () => {
    expect(accepts(prose, "one\n\ntwo")).toBe(true);
    expect(messages(prose, " \n ")).toEqual(["is empty"]);
  });
});

describe("a glob", () => {
  it.each(["src/**/*.ts", "README.md", "./a", "a..b/c", "{a,b}/*.js"])("may be %s", (text) => {
    expect(accepts(glob, text)).toBe(true);
  });

  it.each([
    ["", "is empty"],
    ["/etc/passwd", "is not inside the project"],
    ["~/x", "is not inside the project"],
    ["../x", "leads out of the project"],
    ["a/../../b", "leads out of the project"],
    ["a\\..\\b", "leads out of the project"],
    ["..", "leads out of the project"],
  ])("may not be %j, which %s", (text, message) => {
    expect(messages(glob, text)).toEqual([message]);
  });
});

describe("a check", () => {
  it("is a command line that is not blank", () => {
    expect(accepts(prose, "npm test && npm run lint")).toBe(true);
    expect(messages(prose, " ")).toEqual(["is empty"]);
  });
});

describe("a label", () => {
  it("is a bare key of TOML, because labels are sections of the context file", () => {
    for (const text of ["backend", "UI_2", "a-b"]) expect(accepts(label, text)).toBe(true);
    for (const text of ["", "a b", "a.b", "ä", "a\n"]) expect(accepts(label, text)).toBe(false);
  });
});

describe("a priority", () => {
  it("is a whole number from 0 to 4, and 3 by default", () => {
    expect(DEFAULT_PRIORITY).toBe(3);
    for (const value of [0, 1, 2, 3, 4]) expect(accepts(priority, value)).toBe(true);
    for (const value of [-1, 5, 1.5, "1", null]) expect(accepts(priority, value)).toBe(false);
  });
});

describe("a branch", () => {
  it.each(["main", "story/user-auth--setup-db", "feature/x_y.z", "release-1.2"])(
    "may be %s",
    (name) => {
      expect(accepts(branch, name)).toBe(true);
    },
  );

  // The rules of `git check-ref-format --branch`.
  it.each([
    "",
    "-x",
    "a b",
    "a\tb",
    "a~b",
    "a^b",
    "a:b",
    "a?b",
    "a*b",
    "a[b",
    "a\\b",
    "a..b",
    "a/",
    "/a",
    "a//b",
    "a.",
    "a.lock",
    ".a",
    "a/.b",
    "a@{b",
  ])("may not be %j, which git refuses", (name) => {
    expect(accepts(branch, name)).toBe(false);
  });

  it("may not contain a control character", () => {
    expect(accepts(branch, "a\u007fb")).toBe(false);
    expect(accepts(branch, "a\u0001b")).toBe(false);
  });
});

describe("a pull request", () => {
  it("is a web address, or a number of the local forge", () => {
    for (const text of ["https://github.com/o/r/pull/7", "http://forge/1", "local/12"]) {
      expect(accepts(pullRequest, text)).toBe(true);
    }
    for (const text of ["", "7", "#7", "local/", "local/x", "javascript:x", "https://a b"]) {
      expect(accepts(pullRequest, text)).toBe(false);
    }
  });
});

describe("repeats", () => {
  it("are the indexes of ids that occurred before", () => {
    expect(repeatsIn([])).toEqual([]);
    expect(repeatsIn(["a", "b"])).toEqual([]);
    expect(repeatsIn(["a", "b", "a", "a", "b"])).toEqual([2, 3, 4]);
  });
});
