import { describe, expect, it } from "vitest";
import type { DefinitionAction } from "../protocol/definition-actions.ts";
import { actionSchema } from "./commands.ts";
import { definitionCommand, definitionSuccess } from "./definition-commands.ts";

describe("each change of a definition is one command", () => {
  it.each<[action: DefinitionAction, words: readonly string[], input?: string]>([
    [
      { act: "new-story", id: "a", description: "--help" },
      ["new", "story", "a", "--description=-"],
      "--help",
    ],
    [
      {
        act: "new-story",
        id: "login",
        epic: "auth",
        title: "-x",
        description: "Do it.",
        doneWhen: "It works.",
        checks: ["npm test, twice", "npm run lint"],
        writeFiles: ["src/{a,b}.ts"],
        labels: ["ui"],
        blockedBy: ["db"],
        priority: 0,
        needsReview: true,
      },
      [
        "new",
        "story",
        "login",
        "--epic=auth",
        "--title=-x",
        "--label=ui",
        "--priority=0",
        "--needs-review",
        "--done-when=It works.",
        "--check=npm test, twice",
        "--check=npm run lint",
        "--write=src/{a,b}.ts",
        "--blocked-by=db",
        "--description=-",
      ],
      "Do it.",
    ],
    [
      { act: "new-task", story: "a", id: "form", subject: "Form", description: "x" },
      ["new", "task", "a", "form", "--subject=Form", "--description=-"],
      "x",
    ],
    [{ act: "new-epic", id: "e", description: "x" }, ["new", "epic", "e", "--description=-"], "x"],
    [
      {
        act: "edit",
        kind: "story",
        id: "a",
        set: [
          { field: "title", value: "A=b" },
          { field: "checks", value: ["a, b", "c"] },
          { field: "labels", value: [] },
          { field: "needsReview", value: false },
          { field: "guidance" },
        ],
      },
      [
        "edit",
        "a",
        "--set=title=A=b",
        '--set=checks=["a, b","c"]',
        "--set=labels=",
        "--set=needsReview=false",
        "--set=guidance=",
      ],
    ],
    [
      { act: "edit", kind: "epic", id: "e", set: [{ field: "title", value: "E" }] },
      ["edit", "e", "--epic", "--set=title=E"],
    ],
    [{ act: "unarchive", story: "a" }, ["unarchive", "a"]],
    [{ act: "remove-task", story: "a", task: "form" }, ["rm", "a/form", "--yes"]],
    [{ act: "remove-epic", epic: "e" }, ["rm", "e", "--epic", "--yes"]],
    [
      { act: "remove-epic", epic: "e", keepStories: true },
      ["rm", "e", "--epic", "--yes", "--force"],
    ],
  ])("%j", (action, words, input) => {
    expect(actionSchema.safeParse(action).error).toBeUndefined();
    expect(definitionCommand(action)).toEqual({ words, ...(input !== undefined && { input }) });
    expect(definitionSuccess(action)).toMatch(/^[A-Z].*\.$/);
  });
});

it("refuses what could be read as another option or another file", () => {
  const isValid = (action: object): boolean => actionSchema.safeParse(action).success;
  const set = [{ field: "title", value: "A" }];
  expect(isValid({ act: "edit", kind: "story", id: "a", set })).toBe(true);
  expect(isValid({ act: "edit", kind: "task", id: "a/form", set })).toBe(true);
  for (const id of ["--json", "a/../b", "a/b/c", "A"]) {
    expect(isValid({ act: "edit", kind: "task", id, set }), id).toBe(false);
  }
  expect(isValid({ act: "edit", kind: "story", id: "a", set: [{ field: "a=b" }] })).toBe(false);
  expect(isValid({ act: "new-story", id: "-d", description: "x" })).toBe(false);
  expect(isValid({ act: "new-story", id: "a", description: " " })).toBe(false);
});
