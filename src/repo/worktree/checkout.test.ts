import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import {
  atFolder,
  killedAtCalls,
  newRepository,
  placeIn,
  prepare,
  STORY,
  storyIn,
  type TestRepository,
} from "../../../test/support/repository.ts";
import { listNames } from "../../machine/files/files.ts";
import type { Git } from "../../machine/programs/git.ts";

/** Ready to be prepared, with the story's task in some state. */
type Start = (name: string) => Promise<TestRepository>;

const fresh: Start = async (name) => {
  const test = newRepository(name);
  test.git("add", "--all");
  test.git("commit", "--quiet", "--message=story");
  test.write(`.saga/stories/${STORY}/form.json`, "edited\n");
  return test;
};

const worked: Start = async (name) => {
  const test = await fresh(name);
  const { folder } = await prepare(test);
  test.gitIn(folder, "add", "--all");
  test.gitIn(folder, "commit", "--quiet", "--message=work");
  return test;
};

const branchOnly: Start = async (name) => {
  const test = await worked(name);
  test.git("worktree", "remove", placeIn(test));
  return test;
};

const folderLost: Start = async (name) => {
  const test = await worked(name);
  writeFileSync(join(placeIn(test), "staged"), "staged\n");
  test.gitIn(placeIn(test), "add", "staged");
  rmSync(placeIn(test), { recursive: true });
  return test;
};

const moved: Start = async (name) => {
  const test = await worked(name);
  const path = join(dirname(test.path), "moved");
  renameSync(test.path, path);
  return atFolder(test, path);
};

it.each([
  ["fresh", fresh, 10],
  ["from its branch", branchOnly, 10],
  ["with its folder lost", folderLost, 15],
  ["in a moved project", moved, 3],
])(
  "a worktree comes into order wherever it was killed, and no edit of the story is lost: %s",
  async (_, start, atLeast) => {
    const calls = await killedAtCalls(async (dying, at) => {
      const test = await start(`project-${at}`);
      try {
        await prepare(test, { dying });
      } finally {
        // Where the story is now is where it is edited; the next start must not undo it. Without a
        // worktree that is the project, whose copy counts only while the branch has none.
        const isLive = existsSync(join(storyIn(placeIn(test)), "story.json"));
        if (isLive || start === fresh) {
          const live = isLive ? placeIn(test) : test.path;
          writeFileSync(join(storyIn(live), "form.json"), "edited again\n");
        }
        const { folder, gitDir } = await prepare(test);
        expect(folder).toBe(placeIn(test));
        const form = isLive || start === fresh ? "edited again\n" : "edited\n";
        expect(readFileSync(join(storyIn(folder), "form.json"), "utf8")).toBe(form);
        expect(test.gitIn(folder, "status", "--porcelain").trim()).toBe(
          form === "edited\n" ? "" : `M .saga/stories/${STORY}/form.json`,
        );
        expect(existsSync(join(gitDir, "saga-unfinished"))).toBe(false);
        expect(existsSync(join(folder, ".saga/.story.tmp"))).toBe(false);
        expect(test.git("worktree", "list").split("\n")).toHaveLength(2);
        const saved = test.git("for-each-ref", "--format=%(refname)", "refs/saga/keep");
        expect(saved !== "").toBe(start === folderLost);
      }
    });
    expect(calls).toBeGreaterThanOrEqual(atLeast);
  },
);

it.each([
  ["fresh", fresh],
  ["from its branch", branchOnly],
])("the story is whole before git writes any other file: %s", async (_, start) => {
  const test = await start("project");
  const listings: string[][] = [];
  const watching = (git: Git): Git => ({
    ...git,
    at: (folder) => watching(git.at(folder)),
    attempt: async (args, options) => {
      if (args.includes("--all"))
        listings.push(listNames(git.folder), listNames(storyIn(git.folder)));
      return git.attempt(args, options);
    },
  });
  await prepare(test, { dying: watching });
  expect(listings).toEqual([
    [".git", ".saga"],
    ["form.json", "story.json"],
  ]);
});
