import { rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newRepository, type TestRepository } from "../../../test/support/repository.ts";
import { listTreeChanges, pairsOf, type TreeChange } from "./tree-changes.ts";

const entry = (name: string, id: string, mode = "100644") => ({
  name,
  id,
  mode,
  bytes: Buffer.alloc(0),
});

describe("two folders", () => {
  it("differ in what one of them lacks, and in other contents or modes", () => {
    const before = [entry("gone", "1"), entry("same", "2"), entry("other", "3"), entry("run", "4")];
    const after = [entry("same", "2"), entry("other", "5"), entry("run", "4", "100755")];
    const names = pairsOf("a/", before, [...after, entry("new", "6")]).map(({ path }) => path);
    expect(names).toEqual(["a/gone", "a/other", "a/run", "a/new"]);
  });

  it("do not differ if both have the same entries", () => {
    expect(pairsOf("", [entry("a", "1")], [entry("a", "1")])).toEqual([]);
  });
});

const changesOf = async (
  test: TestRepository,
  max = 100,
): Promise<readonly TreeChange[] | undefined> => {
  const { git } = await test.open();
  const [from = "", to = ""] = test.git("rev-parse", "HEAD~", "HEAD").split("\n");
  return listTreeChanges(git, { from, to, max }, (path) => path !== ".saga");
};

function commit(test: TestRepository): void {
  test.git("add", "--all");
  test.git("commit", "--quiet", "--message=more");
}

/** With files and folders that took each other's place. */
function changedRepository(): TestRepository {
  const test = newRepository();
  test.write("deep/er/one.txt", "one\n");
  test.write("deep/er/two.txt", "two\n");
  test.write("file", "file\n");
  test.write("folder/inside", "inside\n");
  commit(test);
  rmSync(join(test.path, "file"));
  test.write("file/now/a-folder", "x\n");
  rmSync(join(test.path, "folder"), { recursive: true });
  test.write("folder", "now a file\n");
  test.write("deep/er/two.txt", "changed\n");
  test.write(".saga/stories/add-login/story.json", {});
  symlinkSync("read me.txt", join(test.path, "link"));
  commit(test);
  return test;
}

it("are those that git lists", async () => {
  const test = changedRepository();
  const listed = test.git("diff-tree", "-r", "--no-renames", "--name-status", "HEAD~", "HEAD");
  const expected = listed
    .split("\n")
    .map((line) => line.split("\t"))
    .filter(([, path = ""]) => !path.startsWith(".saga/"))
    .map(([status, path]) => `${status === "D" ? "D" : "-"} ${path}`);
  const found = await changesOf(test);
  const lines = found?.map(({ path, isDeleted }) => `${isDeleted ? "D" : "-"} ${path}`);
  expect(lines?.toSorted()).toEqual(expected.toSorted());
});

it("are undefined if there are too many, or if an object is missing", async () => {
  const test = changedRepository();
  expect(await changesOf(test, 2)).toBeUndefined();
  const { git } = await test.open();
  const missing = { from: "0".repeat(40), to: test.git("rev-parse", "HEAD"), max: 100 };
  expect(await listTreeChanges(git, missing, () => true)).toBeUndefined();
});
