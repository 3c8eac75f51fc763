import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  killedAtCalls,
  newRepository,
  prepare,
  STORY,
  type TestRepository,
} from "../../../test/support/repository.ts";
import { openGit, type Git } from "../../machine/programs/git.ts";
import { copyStoryToWorktree } from "../../store/write/copy-to-worktree.ts";
import { layoutOf } from "../../store/project/layout.ts";
import { findBase } from "../repository.ts";
import { snapshotChanges } from "../snapshots/snapshot.ts";
import { listSnapshots, restoreSnapshot } from "./restore.ts";

async function worktree(): Promise<{ test: TestRepository; folder: string; git: Git }> {
  const test = newRepository();
  const { folder } = await prepare(test);
  test.gitIn(folder, "add", "--all");
  test.gitIn(folder, "commit", "--quiet", "--message=start");
  return { test, folder, git: openGit(folder, test.env) };
}

const keep = (git: Git, why = "for a test") =>
  snapshotChanges({ git, storyId: STORY, why, exclude: [] });
const restore = async (test: TestRepository, number: number, dying = (git: Git): Git => git) => {
  const repository = await test.open();
  const at = { ...repository, git: dying(repository.git) };
  return restoreSnapshot({ repository: at, storyId: STORY, number, exclude: [] });
};
const reset = (test: TestRepository, folder: string): void => {
  test.gitIn(folder, "reset", "--quiet", "--hard");
  test.gitIn(folder, "clean", "--quiet", "--force", "-d");
};

describe("snapshots", () => {
  it("are listed with when, why and how much", async () => {
    const { test, folder, git } = await worktree();
    expect(await listSnapshots(git)).toEqual([]);
    writeFileSync(join(folder, "new"), "new\n");
    await keep(git, "at a\ncheck-in");
    writeFileSync(join(folder, "read me.txt"), "changed\n");
    test.gitIn(folder, "add", "new");
    await keep(git);
    const [two, one, ...more] = await listSnapshots((await test.open()).git);
    expect(more).toEqual([]);
    expect(one).toMatchObject({ storyId: STORY, number: 1, why: "at a check-in", files: 1 });
    expect(two).toMatchObject({ storyId: STORY, number: 2, why: "for a test", files: 2 });
    expect(Math.abs((two?.savedAtMs ?? 0) - Date.now())).toBeLessThan(60_000);
    expect(await listSnapshots(git, "other")).toEqual([]);
  });

  it("are in order beyond nine", async () => {
    const { folder, git } = await worktree();
    for (let at = 0; at < 11; at++) {
      writeFileSync(join(folder, "new"), `${at}\n`);
      await keep(git);
    }
    const numbers = (await listSnapshots(git, STORY)).map(({ number }) => number);
    expect(numbers).toEqual([11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
  });
});

describe("a snapshot that is restored", () => {
  it("restores every file, with nothing staged", async () => {
    const { test, folder, git } = await worktree();
    writeFileSync(join(folder, "read me.txt"), "changed\n");
    rmSync(join(folder, "src/main.ts"));
    writeFileSync(join(folder, "binary"), Buffer.from([0, 255, 1]));
    writeFileSync(join(folder, "run"), "#!/bin/sh\n");
    chmodSync(join(folder, "run"), 0o755);
    symlinkSync("nowhere", join(folder, "link"));
    mkdirSync(join(folder, `odd "dir"`));
    writeFileSync(join(folder, `odd "dir"/ü\n`), "odd\n");
    writeFileSync(join(folder, "both"), "staged\n");
    test.gitIn(folder, "add", "both");
    writeFileSync(join(folder, "both"), "later\n");
    await keep(git);
    reset(test, folder);
    expect(await restore(test, 1)).toEqual({ kind: "worktree", folder, saved: undefined });
    expect(readFileSync(join(folder, "read me.txt"), "utf8")).toBe("changed\n");
    expect(existsSync(join(folder, "src/main.ts"))).toBe(false);
    expect([...readFileSync(join(folder, "binary"))]).toEqual([0, 255, 1]);
    expect(statSync(join(folder, "run")).mode & 0o111).toBe(0o111);
    expect(readlinkSync(join(folder, "link"))).toBe("nowhere");
    expect(readFileSync(join(folder, `odd "dir"/ü\n`), "utf8")).toBe("odd\n");
    expect(readFileSync(join(folder, "both"), "utf8")).toBe("later\n");
    expect(test.gitIn(folder, "diff", "--cached", "--name-only")).toBe("");
  });

  it("saves the current files first, and leaves unrelated files alone", async () => {
    const { test, folder, git } = await worktree();
    writeFileSync(join(folder, "read me.txt"), "first\n");
    await keep(git);
    writeFileSync(join(folder, "read me.txt"), "second\n");
    writeFileSync(join(folder, ".gitignore"), "ignored\n");
    test.gitIn(folder, "add", ".gitignore");
    test.gitIn(folder, "commit", "--quiet", "--message=ignore");
    writeFileSync(join(folder, "ignored"), "ignored\n");
    test.gitIn(folder, "add", "read me.txt");
    const restored = await restore(test, 1);
    expect(test.gitIn(folder, "diff", "--cached", "--name-only")).toBe("");
    expect(restored).toMatchObject({ saved: { number: 2 } });
    expect(readFileSync(join(folder, "read me.txt"), "utf8")).toBe("first\n");
    expect(readFileSync(join(folder, "ignored"), "utf8")).toBe("ignored\n");
    await restore(test, 2);
    expect(readFileSync(join(folder, "read me.txt"), "utf8")).toBe("second\n");
  });

  it("is refused where it would overwrite an ignored file, and changes nothing", async () => {
    const { test, folder, git } = await worktree();
    writeFileSync(join(folder, "local"), "of the snapshot\n");
    await keep(git);
    rmSync(join(folder, "local"));
    writeFileSync(join(folder, ".gitignore"), "local\n");
    writeFileSync(join(folder, "local"), "mine\n");
    await expect(restore(test, 1)).rejects.toThrow("The snapshot would overwrite");
    expect(readFileSync(join(folder, "local"), "utf8")).toBe("mine\n");
    expect(readFileSync(join(folder, ".gitignore"), "utf8")).toBe("local\n");
  });

  it("puts a file where a folder is now, and a folder where a file is", async () => {
    const { test, folder, git } = await worktree();
    rmSync(join(folder, "src"), { recursive: true });
    writeFileSync(join(folder, "src"), "a file\n");
    rmSync(join(folder, "read me.txt"));
    mkdirSync(join(folder, "read me.txt"));
    writeFileSync(join(folder, "read me.txt/inside"), "inside\n");
    await keep(git);
    reset(test, folder);
    await restore(test, 1);
    expect(lstatSync(join(folder, "src")).isFile()).toBe(true);
    expect(readFileSync(join(folder, "read me.txt/inside"), "utf8")).toBe("inside\n");
  });

  it("is a branch where there is no worktree", async () => {
    const { test, folder, git } = await worktree();
    writeFileSync(join(folder, "new"), "new\n");
    await keep(git);
    reset(test, folder);
    test.git("worktree", "remove", folder);
    const branch = `keep/${STORY}/1`;
    expect(await restore(test, 1)).toEqual({ kind: "branch", branch });
    expect(await restore(test, 1)).toEqual({ kind: "branch", branch });
    expect(test.git("show", `${branch}:new`)).toBe("new");
    test.git("branch", "--force", branch, "main");
    await expect(restore(test, 1)).rejects.toThrow(branch);
  });

  it("is refused when it does not exist, or during a merge", async () => {
    const { test, folder, git } = await worktree();
    await expect(restore(test, 7)).rejects.toThrow("has no snapshot 7");
    writeFileSync(join(folder, "read me.txt"), "here\n");
    await keep(git);
    test.gitIn(folder, "commit", "--quiet", "--all", "--message=here");
    test.write("read me.txt", "there\n");
    test.git("commit", "--quiet", "--all", "--message=there");
    expect(() => test.gitIn(folder, "merge", "main")).toThrow("Command failed");
    await expect(restore(test, 1)).rejects.toThrow("A merge is in progress");
  });

  it("is restored wherever it was killed, and the previous files are saved", async () => {
    const calls = await killedAtCalls(async (dying) => {
      const { test, folder, git } = await worktree();
      writeFileSync(join(folder, "read me.txt"), "first\n");
      rmSync(join(folder, "src/main.ts"));
      await keep(git);
      reset(test, folder);
      writeFileSync(join(folder, "read me.txt"), "second\n");
      writeFileSync(join(folder, "new"), "new\n");
      try {
        await restore(test, 1, dying);
      } finally {
        await restore(test, 1);
        expect(readFileSync(join(folder, "read me.txt"), "utf8")).toBe("first\n");
        expect(existsSync(join(folder, "src/main.ts"))).toBe(false);
        expect(test.git("show", `refs/saga/keep/${STORY}/2:read me.txt`)).toBe("second");
        expect(test.git("show", `refs/saga/keep/${STORY}/2:new`)).toBe("new");
        expect(test.gitIn(folder, "diff", "--cached", "--name-only")).toBe("");
      }
    });
    expect(calls).toBeGreaterThan(10);
  });
});

describe("a snapshot whose worktree and branch are gone", () => {
  const bringBack = async (
    test: TestRepository,
    number: number,
    dying = (git: Git): Git => git,
  ) => {
    const found = await test.open();
    const repository = { ...found, git: dying(found.git) };
    const rebuild = {
      base: () => findBase(repository, undefined),
      copyStoryToWorktree: (folder: string) =>
        copyStoryToWorktree(layoutOf(test.path), STORY, folder),
    };
    return restoreSnapshot({ repository, storyId: STORY, number, exclude: [], rebuild });
  };

  /** With a commit, something staged and changed again, and a file that is new. */
  async function gone(): Promise<{ test: TestRepository; folder: string; tip: string }> {
    const { test, folder, git } = await worktree();
    const tip = test.gitIn(folder, "rev-parse", "HEAD");
    writeFileSync(join(folder, "both"), "staged\n");
    test.gitIn(folder, "add", "both");
    writeFileSync(join(folder, "both"), "later\n");
    writeFileSync(join(folder, "new"), "new\n");
    await keep(git);
    test.git("worktree", "remove", "--force", folder);
    test.git("update-ref", "-d", `refs/heads/story/${STORY}`);
    return { test, folder, tip };
  }

  function expectBack(test: TestRepository, folder: string, tip: string): void {
    expect(test.gitIn(folder, "rev-parse", `story/${STORY}`, "HEAD").split("\n")).toEqual([
      tip,
      tip,
    ]);
    expect(readFileSync(join(folder, "both"), "utf8")).toBe("later\n");
    expect(readFileSync(join(folder, "new"), "utf8")).toBe("new\n");
    expect(test.gitIn(folder, "show", ":both")).toBe("staged");
    expect(test.gitIn(folder, "status", "--porcelain")).toBe("AM both\n?? new");
  }

  it("restores them, with the same files staged", async () => {
    const { test, folder, tip } = await gone();
    const branch = `story/${STORY}`;
    expect(await bringBack(test, 1)).toEqual({
      kind: "worktree",
      folder,
      saved: undefined,
      branch,
    });
    expectBack(test, folder, tip);
  });

  it("restores the worktree when only that is gone", async () => {
    const { test, folder, tip } = await gone();
    test.git("branch", `story/${STORY}`, tip);
    expect(await bringBack(test, 1)).toMatchObject({ kind: "worktree" });
    expectBack(test, folder, tip);
  });

  it("becomes a separate branch when the story's branch has moved, and moves nothing", async () => {
    const { test, folder } = await gone();
    test.git("branch", `story/${STORY}`, "main");
    expect(await bringBack(test, 1)).toEqual({ kind: "branch", branch: `keep/${STORY}/1` });
    expect(test.git("rev-parse", `story/${STORY}`)).toBe(test.git("rev-parse", "main"));
    expect(existsSync(folder)).toBe(false);
  });

  it("is refused when something else is at the worktree's path", async () => {
    const { test, folder } = await gone();
    mkdirSync(folder);
    writeFileSync(join(folder, "mine"), "mine\n");
    await expect(bringBack(test, 1)).rejects.toThrow("is a folder with other files");
    expect(readFileSync(join(folder, "mine"), "utf8")).toBe("mine\n");
    expect(test.git("branch", "--list", "story/*")).toBe("");
  });

  it("comes back wherever that was killed", async () => {
    const calls = await killedAtCalls(async (dying) => {
      const { test, folder, tip } = await gone();
      try {
        await bringBack(test, 1, dying);
      } finally {
        await bringBack(test, 1);
        expect(test.gitIn(folder, "rev-parse", `story/${STORY}`, "HEAD")).toBe(`${tip}\n${tip}`);
        expect(readFileSync(join(folder, "both"), "utf8")).toBe("later\n");
        expect(readFileSync(join(folder, "new"), "utf8")).toBe("new\n");
      }
    });
    expect(calls).toBeGreaterThan(15);
  });
});
