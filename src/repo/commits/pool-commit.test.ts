import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { newRepository, prepare } from "../../../test/support/repository.ts";
import { commitPoolWork, commitOfTask, hasChanged, type PoolWork } from "./pool-commit.ts";

const TASK = { id: "chores/12", subject: "Add\nlogin", runId: "20260101T000000000Z-abcd" };

async function newWork() {
  const test = newRepository();
  const { folder } = await prepare(test);
  const git = (...args: string[]): string => test.gitIn(folder, ...args);
  git("add", "--all");
  git("commit", "--quiet", "--message=start");
  const start = git("rev-parse", "HEAD");
  const repository = await test.open();
  const place: PoolWork = {
    git: repository.git.at(folder),
    storyId: "add-login",
    start,
    exclude: [".env"],
  };
  const write = (file: string, text: string): void => writeFileSync(join(folder, file), text);
  return { test, git, place, write, start };
}

it("is nothing while no file differs, whatever was committed", async () => {
  const { place, git, write } = await newWork();
  expect(await hasChanged(place)).toBe(false);
  write(".env", "SECRET=1\n");
  git("commit", "--quiet", "--allow-empty", "--message=nothing");
  expect(await hasChanged(place)).toBe(false);
  write("new.ts", "new\n");
  expect(await hasChanged(place)).toBe(true);
});

it("includes changes of tracked files below a provisioned path", async () => {
  const { place, git, write } = await newWork();
  write("read me.txt", "changed\n");
  const from = { ...place, exclude: ["read me.txt", "new.ts"] };
  expect(await hasChanged(from)).toBe(true);
  git("commit", "--quiet", "--all", "--message=mine");
  expect(await hasChanged(from)).toBe(true);
  const since = { ...from, start: git("rev-parse", "HEAD") };
  write("new.ts", "put there\n");
  git("add", "new.ts");
  expect(await hasChanged(since)).toBe(false);
});

it("becomes one commit that names task and run, including the agent's own commits", async () => {
  const { place, git, write, start } = await newWork();
  write("one.ts", "one\n");
  git("add", "one.ts");
  git("commit", "--quiet", "--message=mine");
  write("two.ts", "two\n");
  write(".env", "SECRET=1\n");
  await commitPoolWork(place, TASK);
  expect(git("rev-list", "--count", `${start}..HEAD`)).toBe("1");
  expect(git("diff", "--name-only", start, "HEAD")).toBe("one.ts\ntwo.ts");
  expect(git("log", "-1", "--format=%B")).toBe(
    `Add login\n\nSaga-Task: chores/12\nSaga-Run: ${TASK.runId}`,
  );
});

it("stays one commit when it is fixed, so a removed secret leaves no trace", async () => {
  const { place, git, write, start } = await newWork();
  write("one.ts", "a secret\n");
  await commitPoolWork(place, TASK);
  const first = git("rev-parse", "HEAD");
  await commitPoolWork(place, TASK);
  expect(git("rev-parse", "HEAD")).toBe(first);
  write("one.ts", "none\n");
  await commitPoolWork(place, TASK);
  expect(git("log", "-p", `${start}..HEAD`)).not.toContain("a secret");
});

it("is an additional commit after a merge of the target", async () => {
  const { place, git, write, start } = await newWork();
  write("one.ts", "one\n");
  await commitPoolWork(place, TASK);
  git("branch", "target", start);
  git("checkout", "--quiet", "target");
  write("theirs.ts", "theirs\n");
  git("add", "theirs.ts");
  git("commit", "--quiet", "--message=theirs");
  git("checkout", "--quiet", "story/add-login");
  git("merge", "--quiet", "--no-edit", "target");
  write("one.ts", "fixed\n");
  await commitPoolWork(place, TASK);
  expect(git("log", "--first-parent", "--format=%s", `${start}..HEAD`).split("\n")).toEqual([
    "Add login",
    "Merge branch 'target' into story/add-login",
    "Add login",
  ]);
});

it("is found again by its task and run, and by no other", async () => {
  const { place, git, write } = await newWork();
  write("one.ts", "one\n");
  await commitPoolWork(place, TASK);
  const head = git("rev-parse", "HEAD");
  expect(await commitOfTask(place.git, head, TASK)).toBe(head);
  const other = { id: "chores/4", runId: TASK.runId };
  expect(await commitOfTask(place.git, head, other)).toBeUndefined();
  for (const runId of [`${TASK.runId}0`, TASK.runId.slice(0, -1)]) {
    expect(await commitOfTask(place.git, head, { ...TASK, runId })).toBeUndefined();
  }
});

it("is found by its run even with grep.patternType=fixed", async () => {
  const { place, git, write } = await newWork();
  write("one.ts", "one\n");
  await commitPoolWork(place, TASK);
  git("config", "grep.patternType", "fixed");
  const head = git("rev-parse", "HEAD");
  expect(await commitOfTask(place.git, head, TASK)).toBe(head);
});

it.each(["the project", "a person"])(
  "may be another commit of a submodule, also where %s wants none of them looked at",
  async (who) => {
    const { place, git, test } = await newWork();
    const library = newRepository("library");
    git("submodule", "add", "--quiet", library.path, "library");
    if (who === "a person") git("config", "diff.ignoreSubmodules", "all");
    else git("config", "--file", ".gitmodules", "submodule.library.ignore", "all");
    git("commit", "--quiet", "--all", "--allow-empty", "--message=library");
    const from = { ...place, start: git("rev-parse", "HEAD") };
    const inside = test.gitIn.bind(undefined, join(place.git.folder, "library"));
    inside("commit", "--quiet", "--allow-empty", "--message=newer");
    expect(await hasChanged(from)).toBe(true);
    expect(await commitPoolWork(from, TASK)).toMatchObject({ kind: "committed" });
    expect(git("rev-parse", "HEAD:library")).toBe(inside("rev-parse", "HEAD"));
    expect(await hasChanged(from)).toBe(true);
  },
);

it("is not committed when nothing differs", async () => {
  const { place, git, write, start } = await newWork();
  git("commit", "--quiet", "--allow-empty", "--message=mine");
  expect(await commitPoolWork(place, TASK)).toEqual({ kind: "nothing" });
  write("one.ts", "one\n");
  expect(await commitPoolWork(place, TASK)).toMatchObject({ kind: "committed" });
  // Fixed until nothing was left of it.
  git("rm", "--quiet", "one.ts");
  expect(await commitPoolWork(place, TASK)).toEqual({ kind: "nothing" });
  expect(git("log", "--format=%s", `${start}..HEAD`)).toBe("Add login");
});

it("is not committed while git cannot add all of it", async () => {
  const { place, git, write, start } = await newWork();
  write("one.ts", "one\n");
  git("init", "--quiet", "inner");
  const why = expect.stringContaining("inner") as string;
  expect(await commitPoolWork(place, TASK)).toEqual({ kind: "add-failed", why });
  expect(git("rev-parse", "HEAD")).toBe(start);
});
