import { describe, expect, it } from "vitest";
import { below, fold, lookalike, type ScopeRoots } from "./roots.ts";

const roots = (isCaseBlind: boolean): ScopeRoots => ({
  scope: { project: "/p", worktree: "/p/w", storyId: "one", readable: [] },
  project: undefined,
  saga: "/p/.saga",
  isCaseBlind,
});

describe("the names from a folder down to a path", () => {
  it.each([
    ["/p", "/p/a/b", ["a", "b"]],
    ["/p", "/p", []],
    ["/", "/a", ["a"]],
    ["/p", "/pa/b", undefined],
    ["/p/a", "/p", undefined],
    ["/p", "/P/a", undefined],
  ])("from %s to %s are %j", (folder, path, names) => {
    expect(below(roots(false), folder, path)).toEqual(names);
  });

  it("ignore case where the disk does", () => {
    expect(below(roots(true), "/p", "/P/Sub")).toEqual(["sub"]);
    expect(fold(roots(true), "e\u0301")).toBe(fold(roots(true), "\u00e9"));
    expect(fold(roots(false), "A")).toBe("A");
  });
});

it("names that a disk could take for each other look alike", () => {
  for (const name of [".GIT", ".g\u200cit", ".gIt", "\uFEFF.git"]) {
    expect(lookalike(name)).toBe(".git");
  }
  expect(lookalike("\u017faga")).toBe("saga");
  expect(lookalike(".gitignore")).not.toBe(".git");
});
