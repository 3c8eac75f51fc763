import { describe, expect, it } from "vitest";
import { storySchema, type StoryInput } from "./story.ts";

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
    const optional = {
      ...least,
      guidance: "Small steps.",
      doneWhen: "It works.",
      avoid: "Cookies.",
    };
    expect(storySchema.parse(optional)).toMatchObject(optional);
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
