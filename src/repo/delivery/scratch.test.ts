import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { leftBehind, newDelivery, SCRATCH } from "../../../test/support/delivery.ts";
import { newRepository, STORY, type TestRepository } from "../../../test/support/repository.ts";
import { findRepository } from "../repository.ts";
import { clearScratch, fillScratch, openScratch } from "./scratch.ts";

const scratchIn = ({ path }: TestRepository): string => join(path, SCRATCH);

async function opened(): Promise<{ test: TestRepository; folder: string; gitDir: string }> {
  const test = newRepository();
  const git = await openScratch(await test.open(), STORY, test.git("rev-parse", "main"));
  return { test, folder: git.folder, gitDir: join(test.path, `.git/worktrees/merge.${STORY}`) };
}

describe("a scratch worktree that a killed process left", () => {
  it.each<[string, (at: { folder: string; gitDir: string; test: TestRepository }) => void]>([
    ["is whole", () => undefined],
    [
      "has locks of git's",
      ({ gitDir }) =>
        ["index.lock", "HEAD.lock"].forEach((name) => writeFileSync(join(gitDir, name), "")),
    ],
    ["is dirty", ({ folder }) => writeFileSync(join(folder, "built"), "built\n")],
    [
      "is locked by git while it is added",
      ({ gitDir }) => writeFileSync(join(gitDir, "locked"), "initializing"),
    ],
    ["has lost its folder", ({ folder }) => rmSync(folder, { recursive: true })],
    ["is an empty folder", ({ folder }) => rmSync(join(folder, ".git"))],
    ["has lost its git folder", ({ gitDir }) => rmSync(gitDir, { recursive: true })],
    ["never got its HEAD", ({ gitDir }) => rmSync(join(gitDir, "HEAD"))],
    [
      "never got its pointer",
      ({ folder, gitDir }) => {
        rmSync(folder, { recursive: true });
        rmSync(join(gitDir, "gitdir"));
      },
    ],
    ["has a broken index", ({ gitDir }) => writeFileSync(join(gitDir, "index"), "broken")],
    [
      "is in the middle of a merge",
      ({ gitDir, test }) =>
        writeFileSync(join(gitDir, "MERGE_HEAD"), `${test.git("rev-parse", "main")}\n`),
    ],
  ])("is cleared away when it %s", async (_, leave) => {
    const at = await opened();
    leave(at);
    await clearScratch(await at.test.open(), STORY);
    expect(existsSync(at.folder)).toBe(false);
    expect(leftBehind(at.test)).toEqual([]);
    expect(existsSync(at.gitDir)).toBe(false);
    const commit = at.test.git("rev-parse", "main");
    await fillScratch(await openScratch(await at.test.open(), STORY, commit), commit);
    expect(at.test.gitIn(at.folder, "status", "--porcelain")).toBe("");
  });

  it("is removed after the project was moved", async () => {
    const { test, folder } = await opened();
    writeFileSync(join(folder, "built"), "built\n");
    const moved = join(dirname(test.path), "moved");
    renameSync(test.path, moved);
    await clearScratch(await findRepository(moved, test.env), STORY);
    expect(existsSync(join(moved, SCRATCH))).toBe(false);
  });

  it.runIf(process.platform === "linux")("is waited for while its git is at work", async () => {
    const { test, folder } = await opened();
    const working = spawn("git", ["cat-file", "--batch"], { cwd: folder, env: { ...test.env } });
    const ended = once(working, "close");
    onTestFinished(() => void working.stdin.end());
    await once(working, "spawn");
    working.stdin.write("HEAD\n");
    await once(working.stdout, "data");
    const order: string[] = [];
    const clearing = clearScratch(await test.open(), STORY).then(() => order.push("cleared"));
    setTimeout(() => working.stdin.end(), 200);
    await Promise.all([ended.then(() => order.push("ended")), clearing]);
    expect(order).toEqual(["ended", "cleared"]);
    expect(existsSync(folder)).toBe(false);
  });
});

describe("what is not a scratch worktree is left alone", () => {
  it.each<[string, (folder: string, test: TestRepository) => void]>([
    [
      "a folder with files",
      (folder) => {
        mkdirSync(folder, { recursive: true });
        writeFileSync(join(folder, "precious"), "precious\n");
      },
    ],
    [
      "a file",
      (folder) => {
        mkdirSync(dirname(folder), { recursive: true });
        writeFileSync(folder, "precious\n");
      },
    ],
    [
      "a link",
      (folder) => {
        mkdirSync(dirname(folder), { recursive: true });
        symlinkSync("../..", folder);
      },
    ],
    ["another repository", (folder, test) => void test.git("init", "--quiet", folder)],
    [
      "a worktree with a branch",
      (folder, test) => void test.git("worktree", "add", "--quiet", "-b", "mine", folder),
    ],
    [
      "a place behind a link",
      (folder, test) => {
        const outside = join(dirname(test.path), "outside");
        mkdirSync(outside);
        symlinkSync(outside, dirname(folder));
      },
    ],
  ])("%s", async (_, make) => {
    const test = newRepository();
    make(scratchIn(test), test);
    const list = test.git("worktree", "list");
    await expect(clearScratch(await test.open(), STORY)).rejects.toThrow(
      "The scratch worktree cannot be at",
    );
    expect(test.git("worktree", "list")).toBe(list);
    expect(existsSync(dirname(scratchIn(test)))).toBe(true);
  });

  it("including the scratch worktrees of other stories", async () => {
    const { test } = await opened();
    const repository = await test.open();
    const other = await openScratch(repository, `${STORY}1`, test.git("rev-parse", "main"));
    await clearScratch(repository, STORY);
    expect(test.gitIn(other.folder, "rev-parse", "HEAD")).toBe(test.git("rev-parse", "main"));
  });
});

it("a delivery succeeds even if its scratch cannot be removed", async () => {
  const delivery = await newDelivery();
  delivery.work({ "new.txt": "new\n" });
  const warnings: string[] = [];
  const outcome = await delivery.deliver({
    onWarning: (sentence) => warnings.push(sentence),
    // A check that switches to a branch there makes it a person's.
    verify: async (folder) => {
      delivery.test.gitIn(folder, "switch", "--quiet", "--create", "mine");
      return { isPassed: true };
    },
  });
  expect(outcome).toMatchObject({ kind: "merged", commit: delivery.target() });
  expect(warnings).toEqual([expect.stringContaining("has a branch checked out")]);
});
