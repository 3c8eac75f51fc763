import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { newRepository, type TestRepository } from "../../test/support/repository.ts";
import { addAll } from "./stage-files.ts";

async function newStage() {
  const test = newRepository();
  test.git("add", "--all");
  test.git("commit", "--quiet", "--message=story");
  const { git } = await test.open();
  return { test, git };
}

const staged = (test: TestRepository): string[] =>
  test.git("diff", "--cached", "--name-status").split("\n").filter(Boolean).toSorted();

it("stages changed, deleted and new files", async () => {
  const { test, git } = await newStage();
  test.write("read me.txt", "changed\n");
  rmSync(join(test.path, "src/main.ts"));
  test.write("new.txt", "new\n");
  expect(await addAll(git, [])).toBeUndefined();
  expect(staged(test)).toEqual(["A\tnew.txt", "D\tsrc/main.ts", "M\tread me.txt"]);
});

it("never stages what was provisioned, even if an agent has staged it by name", async () => {
  const { test, git } = await newStage();
  test.write(".env", "KEY=1\n");
  test.write("cache/x", "1\n");
  test.write("new.txt", "new\n");
  test.git("add", ".env");
  expect(await addAll(git, [".env", "cache"])).toBeUndefined();
  expect(staged(test)).toEqual(["A\tnew.txt"]);
});

it("takes an excluded path literally, and stages what git tracks below it", async () => {
  const { test, git } = await newStage();
  test.write("src/main.ts", "changed\n");
  test.write("src/new.ts", "new\n");
  test.write("sxc", "new\n");
  expect(await addAll(git, ["src", "s?c"])).toBeUndefined();
  expect(staged(test)).toEqual(["A\tsxc", "M\tsrc/main.ts"]);
});

it("accepts an excluded path that git ignores anyway", async () => {
  const { test, git } = await newStage();
  test.write(".gitignore", "node_modules\n");
  test.write("node_modules/x", "1\n");
  expect(await addAll(git, ["node_modules"])).toBeUndefined();
  expect(staged(test)).toEqual(["A\t.gitignore"]);
});

it("returns git's complaint about a file that cannot be added, and adds the others", async () => {
  const { test, git } = await newStage();
  mkdirSync(join(test.path, "inner"));
  test.git("init", "--quiet", join(test.path, "inner"));
  test.write("inner/x", "1\n");
  test.write("new.txt", "new\n");
  expect(await addAll(git, [])).toContain("inner");
  expect(staged(test)).toEqual(["A\tnew.txt"]);
});
