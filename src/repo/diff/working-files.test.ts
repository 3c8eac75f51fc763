import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newRepository } from "../../../test/support/repository.ts";
import { isUnchanged, parseStatus, readWorkingFiles } from "./working-files.ts";

const ID = "d00491fd7e5bb6fa28c517a0bb32b8b506539d4d";

describe("a status of git", () => {
  it("is read with paths of any characters", () => {
    const entries = [
      `1 .M N... 100644 100644 100644 ${ID} ${ID} with space`,
      `1 A. N... 000000 100644 100644 ${ID} ${ID} 1 .M N... x\n`,
      `u UU N... 100644 100644 100644 100644 ${ID} ${ID} ${ID} both`,
      "? ? new",
      "? nested/",
    ];
    expect(parseStatus(entries.map((entry) => `${entry}\0`).join(""))).toEqual({
      changed: ["with space", "1 .M N... x\n", "both"],
      conflicts: ["both"],
      untracked: ["? new", "nested/"],
    });
  });

  it("of a clean worktree is empty", () => {
    expect(parseStatus("")).toEqual({ changed: [], conflicts: [], untracked: [] });
  });
});

it("lists staged, changed, deleted, conflicting and new files, except below excluded paths", async () => {
  const test = newRepository();
  test.git("switch", "--quiet", "--create", "other");
  test.write("src/main.ts", "other\n");
  test.git("commit", "--quiet", "--all", "--message=other");
  test.git("switch", "--quiet", "main");
  test.write("src/main.ts", "main\n");
  test.write("gone.txt", "soon\n");
  test.git("add", "gone.txt", "src");
  test.git("commit", "--quiet", "--message=main");
  expect(() => test.git("merge", "other")).toThrow("Command failed");
  test.write("staged.txt", "staged\n");
  test.git("add", "staged.txt");
  rmSync(join(test.path, "gone.txt"));
  test.write("folder/new.txt", "new\n");
  test.write("copied/new.txt", "copied\n");
  const { git } = await test.open();
  const found = await readWorkingFiles(git, ["copied"]);
  expect(new Set(found.changed)).toEqual(new Set(["src/main.ts", "staged.txt", "gone.txt"]));
  expect(found.conflicts).toEqual(["src/main.ts"]);
  expect(found.untracked).toContain("folder/new.txt");
  expect(found.untracked).not.toContain("copied/new.txt");
  expect((await readWorkingFiles(git)).untracked).toContain("copied/new.txt");
});

it("a worktree is unchanged until something is staged, changed or new", async () => {
  const test = newRepository();
  test.git("add", "--all");
  test.git("commit", "--quiet", "--allow-empty", "--message=all");
  const { git } = await test.open();
  expect(await isUnchanged(git)).toBe(true);
  test.write("new.txt", "new\n");
  expect(await isUnchanged(git)).toBe(false);
  test.git("add", "new.txt");
  expect(await isUnchanged(git)).toBe(false);
  test.git("commit", "--quiet", "--message=new");
  expect(await isUnchanged(git)).toBe(true);
  test.write("new.txt", "changed\n");
  expect(await isUnchanged(git)).toBe(false);
});

it("a worktree that git cannot read is not unchanged", async () => {
  const test = newRepository();
  const { git } = await test.open();
  test.write(".git/index", "broken");
  expect(await isUnchanged(git)).toBe(false);
});
