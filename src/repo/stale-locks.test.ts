import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { newRepository, prepare, STORY } from "../../test/support/repository.ts";
import { openGit } from "../machine/programs/git.ts";
import { clearStaleLocks } from "./stale-locks.ts";

async function worktree() {
  const test = newRepository();
  const { folder, gitDir } = await prepare(test);
  const branch = join(test.path, ".git/refs/heads/story", `${STORY}.lock`);
  const own = [join(gitDir, "index.lock"), join(gitDir, "HEAD.lock"), branch];
  const lock = (file: string, ageMs: number): void => {
    writeFileSync(file, "");
    const made = new Date(Date.now() - ageMs);
    utimesSync(file, made, made);
  };
  return { test, folder, git: openGit(folder, test.env), own, lock };
}

describe("locks that a killed git left", () => {
  it("are removed from the worktree and its branch only", async () => {
    const { test, folder, git, own, lock } = await worktree();
    const shared = [
      join(test.path, ".git/index.lock"),
      join(test.path, ".git/packed-refs.lock"),
      join(test.path, ".git/config.lock"),
    ];
    for (const file of [...own, ...shared]) lock(file, 60_000);
    expect(await clearStaleLocks(git)).toEqual(own);
    expect(own.filter((file) => existsSync(file))).toEqual([]);
    expect(shared.filter((file) => existsSync(file))).toEqual(shared);
    test.gitIn(folder, "commit", "--quiet", "--allow-empty", "--message=works");
    expect(await clearStaleLocks(git)).toEqual([]);
  });

  it("are waited for while they are recent", async () => {
    const { git, own, lock } = await worktree();
    lock(own[0] ?? "", 1_700);
    const started = performance.now();
    expect(await clearStaleLocks(git)).toEqual(own.slice(0, 1));
    expect(performance.now() - started).toBeGreaterThan(200);
  });

  it.runIf(process.platform === "linux")(
    "are not touched while a git is at work there",
    async () => {
      const { test, folder, git, own, lock } = await worktree();
      const working = spawn("git", ["cat-file", "--batch"], { cwd: folder, env: { ...test.env } });
      onTestFinished(async () => {
        working.stdin.end();
        await once(working, "close");
      });
      await once(working, "spawn");
      working.stdin.write("HEAD\n");
      await once(working.stdout, "data");
      lock(own[0] ?? "", 60_000);
      await expect(clearStaleLocks(git)).rejects.toThrow(`process ${working.pid}`);
      expect(existsSync(own[0] ?? "")).toBe(true);
    },
  );
});
