import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { newRepository, prepare } from "../../../test/support/repository.ts";
import { openGit, type Git } from "../../machine/programs/git.ts";
import { measureChanges } from "./measure-changes.ts";

async function worktree(): Promise<{ folder: string; git: Git }> {
  const test = newRepository();
  const { folder } = await prepare(test);
  return { folder, git: openGit(folder, test.env) };
}

it("counts changed, new and deleted files with their lines, and nothing that is unchanged", async () => {
  const { folder, git } = await worktree();
  expect(await measureChanges(git, [])).toEqual({ files: 0, lines: 0 });
  writeFileSync(join(folder, "read me.txt"), "one\ntwo\nthree\n");
  const changed = await measureChanges(git, []);
  expect(changed.files).toBe(1);
  expect(changed.lines).toBeGreaterThanOrEqual(3);
  mkdirSync(join(folder, "new"));
  writeFileSync(join(folder, "new/a b.txt"), "1\n2\n");
  writeFileSync(join(folder, "new/no-end.txt"), "1\n2");
  expect(await measureChanges(git, [])).toEqual({ files: 3, lines: changed.lines + 4 });
  rmSync(join(folder, "src/main.ts"));
  expect((await measureChanges(git, [])).files).toBe(4);
});

it("counts staged changes too", async () => {
  const { folder, git } = await worktree();
  writeFileSync(join(folder, "staged.txt"), "1\n2\n3\n");
  await git.ask(["add", "staged.txt"]);
  expect(await measureChanges(git, [])).toEqual({ files: 1, lines: 3 });
});

it("leaves out Saga's files, lock files, what git ignores and what is excluded", async () => {
  const { folder, git } = await worktree();
  mkdirSync(join(folder, ".saga/stories/other"), { recursive: true });
  for (const file of [
    ".saga/stories/other/story.json",
    "package-lock.json",
    "pnpm-lock.yaml",
    "Cargo.lock",
    "go.sum",
    ".env",
  ]) {
    writeFileSync(join(folder, file), "1\n");
  }
  expect(await measureChanges(git, [".env"])).toEqual({ files: 0, lines: 0 });
});

it("counts binary files, links and pipes without reading them as text", async () => {
  const { folder, git } = await worktree();
  writeFileSync(join(folder, "picture"), Buffer.from([1, 10, 0, 10, 10]));
  symlinkSync("/dev/zero", join(folder, "link"));
  execFileSync("mkfifo", [join(folder, "pipe")]);
  expect(await measureChanges(git, [])).toEqual({ files: 2, lines: 1 });
});

it("stops counting beyond every limit, and takes no git lock", async () => {
  const { folder, git } = await worktree();
  writeFileSync(join(folder, "huge"), "x\n".repeat(5_000_000));
  writeFileSync(join(await git.ask(["rev-parse", "--absolute-git-dir"]), "index.lock"), "");
  const { files, lines } = await measureChanges(git, []);
  expect(files).toBe(1);
  expect(lines).toBe(2_000_000);
});
