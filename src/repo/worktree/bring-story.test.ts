import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  newRepository,
  STORY,
  storyIn,
  type TestRepository,
} from "../../../test/support/repository.ts";
import { findBase } from "../repository.ts";
import { bringStory, carryIfMissing, storySource, type CarryRequest } from "./bring-story.ts";

/** A worktree without files of the story, on its own branch from `main`. */
async function newTree(test: TestRepository = newRepository()) {
  const folder = join(test.path, "../tree");
  test.git("worktree", "add", "--quiet", "-b", `story/${STORY}`, folder);
  const repository = await test.open();
  const copies: string[] = [];
  const request: CarryRequest = {
    repository,
    storyId: STORY,
    base: await findBase(repository, undefined),
    copyStoryToWorktree: async (to) => {
      copies.push(to);
      mkdirSync(storyIn(to), { recursive: true });
      writeFileSync(join(storyIn(to), "story.json"), "the project's\n");
    },
  };
  const source = () =>
    storySource(repository.git.at(folder), test.gitIn(folder, "rev-parse", "HEAD"), request);
  return { test, folder, request, copies, source };
}

const storyText = (folder: string): string =>
  readFileSync(join(storyIn(folder), "story.json"), "utf8");

/** Commits the story on its branch, and takes its files away. */
function commitStory({ test, folder }: Awaited<ReturnType<typeof newTree>>): void {
  mkdirSync(storyIn(folder), { recursive: true });
  writeFileSync(join(storyIn(folder), "story.json"), "the branch's\n");
  test.gitIn(folder, "add", "--force", "--all");
  test.gitIn(folder, "commit", "--quiet", "--message=work");
  rmSync(storyIn(folder), { recursive: true });
}

describe("a story's files", () => {
  it("come from the project while the branch has no commit of its own", async () => {
    const tree = await newTree();
    const { folder, request, copies, source } = tree;
    expect(await source()).toBe("project");
    expect(await bringStory(request, folder, "project")).toBe(true);
    expect(await bringStory(request, folder, "project")).toBe(true);
    expect(copies).toEqual([folder]);
  });

  it("come from the branch when that has newer ones", async () => {
    const tree = await newTree();
    commitStory(tree);
    expect(await tree.source()).toBe("branch");
    expect(await bringStory(tree.request, tree.folder, "branch")).toBe(true);
    expect(storyText(tree.folder)).toBe("the branch's\n");
    expect(existsSync(join(tree.folder, ".saga/.story.tmp"))).toBe(false);
    expect(tree.copies).toEqual([]);
  });

  it("come from the project when the branch has commits, but never had the story", async () => {
    const tree = await newTree();
    tree.test.gitIn(tree.folder, "commit", "--quiet", "--allow-empty", "--message=work");
    expect(await tree.source()).toBe("project");
    await carryIfMissing(tree.request, tree.folder);
    expect(tree.copies).toEqual([tree.folder]);
  });

  it("are not brought again to a branch on which they were deleted", async () => {
    const tree = await newTree();
    commitStory(tree);
    await carryIfMissing(tree.request, tree.folder);
    expect(tree.copies).toEqual([]);
  });

  it("replace what a killed call has left", async () => {
    const tree = await newTree();
    commitStory(tree);
    const half = join(tree.folder, ".saga/.story.tmp/.saga/stories", STORY);
    mkdirSync(half, { recursive: true });
    writeFileSync(join(half, "story.json"), "half");
    writeFileSync(join(half, "old.json"), "old");
    await bringStory(tree.request, tree.folder, "branch");
    expect(storyText(tree.folder)).toBe("the branch's\n");
    expect(existsSync(join(storyIn(tree.folder), "old.json"))).toBe(false);
  });

  it("are not written through a link that leads out of the worktree", async () => {
    const { test, folder, request, copies } = await newTree();
    mkdirSync(join(test.path, "../outside"));
    mkdirSync(join(folder, ".saga"), { recursive: true });
    rmSync(join(folder, ".saga/stories"), { recursive: true, force: true });
    symlinkSync(join(test.path, "../outside"), join(folder, ".saga/stories"));
    await expect(bringStory(request, folder, "project")).rejects.toThrow(
      "leads out of the worktree through a symlink",
    );
    expect(copies).toEqual([]);
  });
});
