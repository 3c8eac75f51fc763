import { describe, expect, it } from "vitest";
import { storySchema, usualStory, type StoryInput } from "./story.ts";

const least: StoryInput = { id: "add-login", title: "Add login", description: "A form." };

describe("a story", () => {
  it("needs an id, a title and a description, and gets the rest by default", () => {
    expect(storySchema.parse(least)).toEqual({
      ...least,
      status: "pending",
      labels: [],
      priority: 3,
      checks: [],
      needsTesting: false,
      needsReview: false,
    });
  });

  it.each(["id", "title", "description"])("is refused without its %s", (key) => {
    const found = storySchema.safeParse({ ...least, [key]: undefined });
    expect(found.error?.issues).toMatchObject([{ path: [key] }]);
  });

  it("has guidance, doneWhen and avoid", () => {
    const told = { ...least, guidance: "Small steps.", doneWhen: "It works.", avoid: "Cookies." };
    expect(storySchema.parse(told)).toMatchObject(told);
  });

  it("has an epic, labels, priority, files, checks, and whether it is tested and reviewed", () => {
    const added = {
      ...least,
      epic: "user-auth",
      labels: ["backend"],
      priority: 0,
      writeFiles: ["src/login/**"],
      checks: ["npm test"],
      needsTesting: true,
      needsReview: true,
    };
    expect(storySchema.parse(added)).toMatchObject(added);
  });

  it("has the fields that runs write: status, branch, pull request, worktree", () => {
    const ran = {
      ...least,
      status: "in_progress",
      branch: "story/add-login",
      pr: "https://github.com/o/r/pull/7",
      worktree: ".saga/worktrees/add-login",
    };
    expect(storySchema.parse(ran)).toMatchObject(ran);
  });

  it("keeps fields that Saga does not know", () => {
    const known = { ...least, ticket: "ABC-1", nested: { deep: [1, null] } };
    expect(storySchema.parse(known)).toMatchObject({
      ticket: "ABC-1",
      nested: { deep: [1, null] },
    });
  });

  it.each([
    ["status", "failed"],
    ["epic", "User Auth"],
    ["labels", ["a b"]],
    ["priority", 5],
    ["writeFiles", ["../x"]],
    ["checks", [""]],
    ["needsTesting", "yes"],
    ["needsReview", 1],
    ["branch", "a b"],
    ["pr", "7"],
    ["guidance", 1],
  ])("refuses %s: %j", (key, value) => {
    const found = storySchema.safeParse({ ...least, [key]: value });
    expect(found.error?.issues.map((issue) => issue.path[0])).toEqual([key]);
  });
});

describe("the short cut for a usual story", () => {
  it("agrees with the schema, and parses most stories", () => {
    const told = {
      ...least,
      epic: "user-auth",
      status: "in_progress",
      guidance: "Small steps.",
      doneWhen: "It works.",
      avoid: "",
      worktree: ".saga/worktrees/add-login",
    };
    for (const usual of [least, told]) {
      expect(usualStory(usual)).toEqual(storySchema.parse(usual));
      expect(usualStory(usual)).toBeDefined();
    }
  });

  it.each([
    ...[null, "text", [], {}, [least]].map((value) => [value]),
    ...Object.entries({
      id: ["", "Add", "auto-1", "a".repeat(101), 1],
      title: ["", " ", "two\nlines", "x".repeat(201), "\u2028", 7],
      description: ["", " \n", 7, undefined],
      status: ["done", null],
      epic: ["", "No", 4, null],
      guidance: [1, null],
      worktree: [{}],
      priority: [2],
      checks: [["npm test"]],
      ticket: ["ABC-1"],
    }).flatMap(([key, values]) => values.map((value) => [{ ...least, [key]: value }])),
  ])("leaves any other to the schema: %j", (fields) => {
    expect(usualStory(fields)).toBeUndefined();
  });
});
