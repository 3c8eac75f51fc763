import { describe, expect, it } from "vitest";
import type { ScopeRoots } from "../scope/roots.ts";
import { changesFiles, parseGit, refusalInShared } from "./git.ts";

const roots: ScopeRoots = {
  scope: { project: "/nowhere", worktree: "/nowhere/w", storyId: "one", readable: [] },
  project: undefined,
  saga: "/nowhere/.saga",
  isCaseBlind: false,
};

const refused = (text: string) => refusalInShared(roots, parseGit(text.split(" ")))?.what;

it("finds the command behind options and folders", () => {
  expect(parseGit(["-C", "a", "-c", "x=y", "-C", "b", "--no-pager", "log", "-1"])).toMatchObject({
    folders: ["a", "b"],
    name: "log",
  });
  expect(parseGit([])).toMatchObject({ folders: [], name: "" });
});

describe("in the repository of all stories an agent may", () => {
  it.each([
    "status",
    "commit -m main",
    "checkout story/one",
    "checkout -b mine",
    "checkout main src/a.ts",
    "branch -D mine",
    "branch -f story/one HEAD",
    "push origin HEAD",
    "push -u origin story/one",
    "push origin +HEAD:story/one",
    "stash",
    "stash pop",
    "worktree list",
    "gc",
    "reflog",
  ])("git %s", (text) => expect(refused(text)).toBeUndefined());
});

describe("in the repository of all stories an agent may not", () => {
  it.each([
    ["branch -D main", '"main"'],
    ["branch -d story/two", '"story/two"'],
    ["branch -m other", '"story/one"'],
    ["branch -f main HEAD", '"main"'],
    ["checkout main", '"main"'],
    ["checkout -B epic/shop", '"epic/shop"'],
    ["switch story/two", '"story/two"'],
    ["push origin main", '"main" of the remote'],
    ["push origin HEAD:main", '"main" of the remote'],
    ["push --all origin", '"*" of the remote'],
    ["push --delete origin story/two", '"story/two" of the remote'],
    ["stash drop", "the stash"],
    ["stash clear", "the stash"],
    ["worktree remove x", "the list of worktrees"],
    ["gc --prune=now", "git's unreachable commits"],
    ["prune", "git's unreachable commits"],
    ["reflog expire --all", "git's unreachable commits"],
  ])("git %s", (text, what) => expect(refused(text)).toBe(what));
});

it("knows which commands change the files of a worktree", () => {
  const changes = (text: string): boolean => changesFiles(parseGit(text.split(" ")));
  for (const text of ["reset --hard", "checkout a", "stash", "clean -fd", "merge x"]) {
    expect([text, changes(text)]).toEqual([text, true]);
  }
  for (const text of ["log", "stash list", "stash show", "clean --dry-run", "diff", "push"]) {
    expect([text, changes(text)]).toEqual([text, false]);
  }
});
