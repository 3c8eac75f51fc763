import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import { newRepository, STORY } from "../../../../test/support/repository.ts";
import { withWork } from "../../../../test/support/story-with-work.ts";

it("shows the story's changes as a patch that git applies", async () => {
  const test = await withWork();
  const { stdout, exitCode } = await test.sagaWithEnv(test.env, "diff", STORY);
  expect(exitCode).toBe(0);
  expect(stdout).toContain("+two");
  expect(stdout).not.toContain(".saga");
  execFileSync("git", ["apply", "--check", "-"], { cwd: test.path, input: stdout });
});

it("sums up, gives JSON, and shows one commit by its short id", async () => {
  const test = await withWork();
  const saga = (...words: string[]) => test.sagaWithEnv(test.env, "diff", STORY, ...words);
  expect((await saga("--stat")).stdout).toBe(
    " new file.txt     2     0 ++\n 1 file changed, 2 added, 0 removed\n",
  );
  expect((await saga("--json")).json()).toMatchObject({
    story: STORY,
    isCut: false,
    files: [{ path: "new file.txt", added: 2, removed: 0 }],
  });
  const commit = test.git("rev-parse", "--short", `story/${STORY}`);
  expect((await saga("--commit", commit)).stdout).toContain("+two");
  const other = await saga("--commit", test.git("rev-parse", "main"));
  expect([other.exitCode, other.stderr]).toEqual([
    1,
    expect.stringContaining("does not belong to this story"),
  ]);
});

it("says that a story has no changes yet", async () => {
  const test = newRepository();
  const { stdout, exitCode } = await test.sagaWithEnv(test.env, "diff", STORY);
  expect([exitCode, stdout]).toEqual([0, `${STORY} has no changes yet.\n`]);
});

it("shows uncommitted work after the commits, and leaves it out on request", async () => {
  const test = await withWork();
  test.write(`.saga/worktrees/${STORY}/half.txt`, "half\n");
  test.write(`.saga/worktrees/${STORY}/new file.txt`, "one\ntwo\nthree\n");
  const saga = (...words: string[]) => test.sagaWithEnv(test.env, "diff", STORY, ...words);
  const { stdout } = await saga();
  const [committed = "", uncommitted = ""] = stdout.split("# Uncommitted work in the worktree:\n");
  expect([committed.includes("+two"), committed.includes("+three")]).toEqual([true, false]);
  expect(uncommitted).toContain("+half");
  expect(uncommitted).toContain("+three");
  expect(uncommitted).not.toContain(".saga");
  execFileSync("git", ["apply", "--check", "-"], { cwd: test.path, input: stdout });
  expect((await saga("--committed")).stdout).toBe(committed);
  expect((await saga("--json")).json()).toMatchObject({
    files: [{ path: "new file.txt", added: 2 }],
    uncommitted: { files: [{ path: "half.txt" }, { path: "new file.txt", added: 1 }] },
  });
  expect((await saga("--stat")).stdout).toMatch(/1 file changed[^]*# Unc[^]*2 files changed/);
});
