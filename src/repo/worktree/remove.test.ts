import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  addOrigin,
  newRepository,
  placeIn,
  prepare,
  STORY,
  type TestRepository,
} from "../../../test/support/repository.ts";
import { deliver } from "../../../test/support/deliver.ts";
import { isAncestor } from "../refs.ts";
import { removeWorktree, type Removal } from "./remove.ts";

const BRANCH = `story/${STORY}`;

/** A worktree with all of it committed, and merged. */
async function finished(): Promise<{ test: TestRepository; folder: string }> {
  const test = newRepository();
  const { folder } = await prepare(test);
  test.gitIn(folder, "add", "--all");
  test.gitIn(folder, "commit", "--quiet", "--message=work");
  test.git("update-ref", "refs/heads/merged", BRANCH);
  return { test, folder };
}

async function remove(
  test: TestRepository,
  { base = "merged", exclude = [] as string[], isLeased = false, isDryRun = false } = {},
): Promise<Removal> {
  const baseCommit = test.git("rev-parse", base);
  const repository = await test.open();
  return removeWorktree({ repository, storyId: STORY, isLeased, baseCommit, exclude, isDryRun });
}

describe("a worktree without unsaved work", () => {
  it("is removed, and its branch stays", async () => {
    const { test, folder } = await finished();
    expect(await isAncestor((await test.open()).git, BRANCH, "merged")).toBe(true);
    expect(await isAncestor((await test.open()).git, BRANCH, "main")).toBe(false);
    expect(await remove(test)).toEqual({ removed: true });
    expect(existsSync(folder)).toBe(false);
    expect(test.git("rev-parse", BRANCH)).toBe(test.git("rev-parse", "merged"));
    expect(await remove(test)).toMatchObject({ removed: false });
  });

  it.each<[string, (test: TestRepository) => void]>([
    [
      "pushed",
      (test) => {
        addOrigin(test);
        test.git("push", "--quiet", "origin", BRANCH);
      },
    ],
    ["kept", (test) => test.git("update-ref", `refs/saga/keep/${STORY}/1`, BRANCH)],
  ])("is removed when it is %s", async (_, save) => {
    const { test } = await finished();
    expect(await remove(test, { base: "main" })).toMatchObject({ removed: false });
    save(test);
    expect(await remove(test, { base: "main" })).toEqual({ removed: true });
  });

  it("is removed after a delivery under other commits, until there are more", async () => {
    const { test, folder } = await finished();
    const own = test.git("rev-parse", BRANCH);
    test.git(
      "branch",
      "trunk",
      test.git("commit-tree", "main^{tree}", "-p", "main", "-m", "moved"),
    );
    const target = { branch: "trunk", place: "here" } as const;
    const verify = async () => ({ isPassed: true }) as const;
    await deliver({ repository: await test.open(), branch: BRANCH, target, verify });
    expect(await isAncestor((await test.open()).git, BRANCH, "trunk")).toBe(false);
    test.gitIn(folder, "commit", "--quiet", "--allow-empty", "--message=more");
    expect(await remove(test, { base: "trunk" })).toMatchObject({
      why: expect.stringContaining("not merged, pushed or in a snapshot") as string,
    });
    test.gitIn(folder, "reset", "--quiet", "--keep", own);
    expect(await remove(test, { base: "trunk" })).toEqual({ removed: true });
    expect(test.git("rev-parse", BRANCH)).toBe(own);
  });

  it("stays in a dry run", async () => {
    const { test, folder } = await finished();
    test.write(".env", "secret\n");
    writeFileSync(join(folder, ".env"), "secret\n");
    const exclude = [".env"];
    expect(await remove(test, { exclude, isDryRun: true })).toEqual({ removed: true });
    expect(existsSync(join(folder, ".env"))).toBe(true);
    expect(await remove(test, { exclude })).toEqual({ removed: true });
    expect(existsSync(folder)).toBe(false);
  });

  it("is removed with its ignored files, without following links", async () => {
    const { test, folder } = await finished();
    const outside = join(dirname(test.path), "outside");
    mkdirSync(outside);
    writeFileSync(join(outside, "precious"), "precious\n");
    test.write(".git/info/exclude", "build\n");
    mkdirSync(join(folder, "build"));
    symlinkSync(outside, join(folder, "build/link"));
    expect(await remove(test)).toEqual({ removed: true });
    expect(existsSync(join(outside, "precious"))).toBe(true);
  });

  it("is removed with its provisioned links and copies", async () => {
    const { test, folder } = await finished();
    test.write(".env", "secret\n");
    test.write("modules/one", "one\n");
    writeFileSync(join(folder, ".env"), "secret\n");
    symlinkSync("../../../modules", join(folder, "modules"));
    const exclude = [".env", "modules", "modules/one", "read me.txt", "absent"];
    expect(await remove(test, { exclude })).toEqual({ removed: true });
    expect(test.read("modules/one")).toBe("one\n");
    expect(test.read(".env")).toBe("secret\n");
  });
});

describe("a worktree stays", () => {
  it.each<[string, (folder: string, test: TestRepository) => void, string]>([
    [
      "with a changed file",
      (folder) => writeFileSync(join(folder, "read me.txt"), "changed\n"),
      "has uncommitted changes",
    ],
    [
      "with a changed file that is hidden from git",
      (folder, test) => {
        test.gitIn(folder, "update-index", "--skip-worktree", "read me.txt");
        writeFileSync(join(folder, "read me.txt"), "changed\n");
      },
      "--assume-unchanged or --skip-worktree",
    ],
    [
      "with a changed copy that git tracks",
      (folder, test) => {
        writeFileSync(join(folder, ".env"), "known\n");
        test.gitIn(folder, "add", ".env");
        test.gitIn(folder, "commit", "--quiet", "--message=known");
        test.git("update-ref", "refs/heads/merged", BRANCH);
        writeFileSync(join(folder, ".env"), "changed\n");
      },
      "Git refuses to remove",
    ],
    [
      "with a new file",
      (folder) => writeFileSync(join(folder, "new"), "new\n"),
      "has uncommitted changes",
    ],
    [
      "with a staged file",
      (folder, test) => {
        writeFileSync(join(folder, "new"), "new\n");
        test.gitIn(folder, "add", "new");
      },
      "has uncommitted changes",
    ],
    [
      "with an unmerged commit",
      (folder, test) => test.gitIn(folder, "commit", "--quiet", "--allow-empty", "--message=more"),
      "not merged, pushed or in a snapshot",
    ],
    [
      "with a commit on a ref that only it has",
      (folder, test) => {
        const only = ["commit-tree", "-p", "HEAD", "-m", "only here", "HEAD^{tree}"];
        test.gitIn(folder, "update-ref", "refs/worktree/mine", test.gitIn(folder, ...only));
      },
      "not merged, pushed or in a snapshot",
    ],
    ["while it is locked", (folder, test) => test.git("worktree", "lock", folder), "is locked"],
    [
      "on another branch",
      (folder, test) => test.gitIn(folder, "switch", "--quiet", "--create", "mine"),
      `is not on ${BRANCH}`,
    ],
    [
      "on no branch",
      (folder, test) => test.gitIn(folder, "checkout", "--quiet", "--detach"),
      `is not on ${BRANCH}`,
    ],
    [
      "with a repository in it",
      (folder, test) => test.gitIn(folder, "init", "--quiet", "inner"),
      "has uncommitted changes",
    ],
    [
      "with an initialised submodule",
      (folder, test) => {
        const library = newRepository("library");
        test.gitIn(folder, "submodule", "add", "--quiet", library.path, "library");
        test.gitIn(folder, "commit", "--quiet", "--message=library");
        test.git("update-ref", "refs/heads/merged", BRANCH);
      },
      "Git refuses to remove",
    ],
    [
      "with a copy that was changed",
      (folder, test) => {
        test.write(".env", "secret\n");
        writeFileSync(join(folder, ".env"), "changed\n");
      },
      ".env differs",
    ],
    [
      "with a story that git ignores",
      (folder, test) => {
        test.write(".git/info/exclude", "journal.md\n");
        writeFileSync(join(folder, ".saga/stories", STORY, "journal.md"), "learned\n");
      },
      "only copy",
    ],
  ])("%s", async (_, change, why) => {
    const { test, folder } = await finished();
    change(folder, test);
    const removal = await remove(test, { exclude: [".env"] });
    expect(removal).toMatchObject({ removed: false, why: expect.stringContaining(why) as string });
    expect(readFileSync(join(folder, "src/main.ts"), "utf8")).toBe("export {};\n");
  });

  it("while a worker is running in it", async () => {
    const { test } = await finished();
    const removal = await remove(test, { isLeased: true });
    expect(removal).toMatchObject({ why: expect.stringContaining("A worker") as string });
  });

  it("when something else is at its path", async () => {
    const test = newRepository();
    test.write(`.saga/worktrees/${STORY}/mine`, "mine\n");
    expect(await remove(test, { base: "main" })).toMatchObject({ removed: false });
    expect(existsSync(join(placeIn(test), "mine"))).toBe(true);
  });
});
