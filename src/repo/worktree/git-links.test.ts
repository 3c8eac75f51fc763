import { cpSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { wholeDisk } from "../../../test/support/refused.ts";
import {
  atFolder,
  leaveChanges,
  newRepository,
  placeIn,
  prepare,
  STORY,
  type TestRepository,
} from "../../../test/support/repository.ts";

const BRANCH = `story/${STORY}`;

/** A project with a worktree that has something to lose. */
async function worked(): Promise<TestRepository> {
  const test = newRepository();
  const { folder } = await prepare(test);
  leaveChanges(test, folder);
  return test;
}

const beside = (test: TestRepository, name: string): string => join(dirname(test.path), name);
const statusOf = (test: TestRepository): string =>
  test.gitIn(placeIn(test), "status", "--porcelain=v2", "--branch");

describe("a project that was moved", () => {
  it("keeps its worktree, with everything uncommitted in it", async () => {
    const test = await worked();
    const before = statusOf(test);
    renameSync(test.path, beside(test, "moved"));
    const moved = atFolder(test, beside(test, "moved"));
    const tree = await prepare(moved);
    expect(tree).toMatchObject({ folder: placeIn(moved), isNew: false });
    expect(statusOf(moved)).toBe(before);
    expect(readFileSync(join(tree.folder, "new"), "utf8")).toBe("new\n");
    expect(moved.git("worktree", "list")).not.toContain(test.path);
  });

  it("keeps its worktree at an older path too", async () => {
    const test = newRepository();
    const older = join(".saga/worktrees/stories", STORY);
    test.git("worktree", "add", "--quiet", "-b", BRANCH, older);
    writeFileSync(join(test.path, older, "new"), "new\n");
    renameSync(test.path, beside(test, "moved"));
    const moved = atFolder(test, beside(test, "moved"));
    expect(await prepare(moved)).toMatchObject({ folder: join(moved.path, older), isNew: false });
    expect(readFileSync(join(moved.path, older, "new"), "utf8")).toBe("new\n");
  });

  it("keeps its worktree after a kill between the two links", async () => {
    const test = await worked();
    const before = statusOf(test);
    renameSync(test.path, beside(test, "moved"));
    const moved = atFolder(test, beside(test, "moved"));
    const gitDir = join(moved.path, ".git/worktrees", STORY);
    writeFileSync(join(placeIn(moved), ".git"), `gitdir: ${gitDir}\n`);
    await prepare(moved);
    expect(statusOf(moved)).toBe(before);
  });

  it("gets a new worktree when the folder was lost on the way", async () => {
    const test = await worked();
    renameSync(test.path, beside(test, "moved"));
    const moved = atFolder(test, beside(test, "moved"));
    rmSync(placeIn(moved), { recursive: true });
    expect(await prepare(moved)).toMatchObject({ isNew: true });
    expect(moved.git("show", `refs/saga/keep/${STORY}/1:staged`)).toBe("staged");
    expect(moved.git("worktree", "list")).not.toContain(test.path);
  });
});

describe("a project that was copied", () => {
  const copyOf = (test: TestRepository): TestRepository => {
    cpSync(test.path, beside(test, "copy"), { recursive: true, verbatimSymlinks: true });
    return atFolder(test, beside(test, "copy"));
  };

  it("has its own worktree, and the original is not touched", async () => {
    const test = await worked();
    const copy = copyOf(test);
    const before = wholeDisk(test.path);
    const status = statusOf(test);
    const { folder } = await prepare(copy);
    expect(folder).toBe(placeIn(copy));
    copy.gitIn(folder, "add", "--all");
    copy.gitIn(folder, "commit", "--quiet", "--message=in the copy");
    expect(wholeDisk(test.path)).toBe(before);
    expect(copy.git("log", "-1", "--format=%s", BRANCH)).toBe("in the copy");
    expect(copy.gitIn(folder, "show", "HEAD:new")).toBe("new");
    expect(statusOf(test)).toBe(status);
    expect(await prepare(test)).toMatchObject({ folder: placeIn(test), isNew: false });
  });

  it("gets a new worktree when its own was not copied, and the original is not touched", async () => {
    const test = await worked();
    const copy = copyOf(test);
    rmSync(join(copy.path, ".saga/worktrees"), { recursive: true });
    const before = wholeDisk(test.path);
    expect(await prepare(copy)).toMatchObject({ folder: placeIn(copy), isNew: true });
    expect(wholeDisk(test.path)).toBe(before);
    expect(copy.git("worktree", "list")).not.toContain(test.path);
    expect(copy.git("show", `refs/saga/keep/${STORY}/1:staged`)).toBe("staged");
  });

  it("is refused where it shares the repository of the original", async () => {
    const main = newRepository("main");
    main.git("worktree", "add", "--quiet", "-b", "feature", beside(main, "linked"));
    const linked = atFolder(main, beside(main, "linked"));
    linked.write(`.saga/stories/${STORY}/story.json`, { id: STORY });
    await prepare(linked);
    cpSync(linked.path, beside(main, "copy"), { recursive: true });
    const copy = atFolder(main, beside(main, "copy"));
    await expect(prepare(copy)).rejects.toThrow(`is a copy of the worktree ${placeIn(linked)}`);
    expect(await prepare(linked)).toMatchObject({ isNew: false });
  });
});
