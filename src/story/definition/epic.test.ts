import { describe, expect, it } from "vitest";
import { epicSchema, type EpicInput } from "./epic.ts";

const least: EpicInput = {
  id: "user-auth",
  title: "User authentication",
  description: "People sign in.",
  children: [],
};

describe("an epic", () => {
  it("is pending by default, and may have no stories yet", () => {
    expect(epicSchema.parse(least)).toEqual({ ...least, status: "pending" });
  });

  it.each(["id", "title", "description", "children"])("is refused without its %s", (key) => {
    const found = epicSchema.safeParse({ ...least, [key]: undefined });
    expect(found.error?.issues).toMatchObject([{ path: [key] }]);
  });

  it("lists stories with their blockers, none by default", () => {
    const children = [{ id: "a" }, { id: "b", blockedBy: ["a"] }];
    expect(epicSchema.parse({ ...least, children }).children).toEqual([
      { id: "a", blockedBy: [] },
      { id: "b", blockedBy: ["a"] },
    ]);
  });

  it("has a branch, a pull request and a kind of delivery", () => {
    const added = { ...least, branch: "epic/user-auth", pr: "local/3", delivery: "epic-branch" };
    expect(epicSchema.parse(added)).toMatchObject(added);
    expect(epicSchema.parse({ ...least, delivery: "story-pr" }).delivery).toBe("story-pr");
  });

  it("keeps fields that Saga does not know, on itself and on its children", () => {
    const known = { ...least, persistent: true, children: [{ id: "a", note: "first" }] };
    expect(epicSchema.parse(known)).toMatchObject(known);
  });

  it.each([
    ["status", "running"],
    ["delivery", "by-hand"],
    ["branch", "a b"],
    ["pr", "7"],
    ["children", [{ id: "A" }]],
    ["children", [{}]],
    ["children", {}],
  ])("refuses %s: %j", (key, value) => {
    const found = epicSchema.safeParse({ ...least, [key]: value });
    expect(found.error?.issues.map((issue) => issue.path[0])).toEqual([key]);
  });
});
