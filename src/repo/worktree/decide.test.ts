import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { wholeDisk } from "../../../test/support/refused.ts";
import {
  newRepository,
  placeIn,
  prepare,
  STORY,
  type TestRepository,
} from "../../../test/support/repository.ts";

const BRANCH = `story/${STORY}`;

describe("a worktree that git lists but whose folder is gone", () => {
  it("is created again, and a snapshot keeps what was staged in it", async () => {
    const test = newRepository();
    const { folder } = await prepare(test);
    writeFileSync(join(folder, "staged"), "staged\n");
    test.gitIn(folder, "add", "staged");
    rmSync(folder, { recursive: true });
    expect((await prepare(test)).isNew).toBe(true);
    expect(test.git("show", `refs/saga/keep/${STORY}/1:staged`)).toBe("staged");
    expect(test.git("worktree", "list").split("\n")).toHaveLength(2);
  });

  it("is created again, and a snapshot keeps what was staged in a split index", async () => {
    const test = newRepository();
    const { folder } = await prepare(test);
    test.git("config", "core.splitIndex", "true");
    writeFileSync(join(folder, "staged"), "staged\n");
    test.gitIn(folder, "add", "staged");
    rmSync(folder, { recursive: true });
    await prepare(test);
    expect(test.git("show", `refs/saga/keep/${STORY}/1:staged`)).toBe("staged");
  });

  it("is refused when its index cannot be read, until a person removes it", async () => {
    const test = newRepository();
    const { folder } = await prepare(test);
    writeFileSync(join(test.path, ".git/worktrees", STORY, "index"), "");
    rmSync(folder, { recursive: true });
    await expect(prepare(test)).rejects.toMatchObject({
      message: expect.stringContaining(
        `The index of the missing worktree ${folder} cannot be read`,
      ) as string,
      hint: `If you need nothing that was staged in it, run \`git worktree remove ${folder}\`.`,
    });
    test.git("worktree", "remove", folder);
    expect((await prepare(test)).isNew).toBe(true);
  });

  it("is created again, and a snapshot keeps commits that were on no branch", async () => {
    const test = newRepository();
    const { folder } = await prepare(test);
    test.gitIn(folder, "checkout", "--quiet", "--detach");
    test.gitIn(folder, "commit", "--quiet", "--allow-empty", "--message=alone");
    const alone = test.gitIn(folder, "rev-parse", "HEAD");
    rmSync(folder, { recursive: true });
    await prepare(test);
    expect(test.git("rev-parse", `refs/saga/keep/${STORY}/1^`)).toBe(alone);
  });

  it("is refused while it is locked, because its disk may come back", async () => {
    const test = newRepository();
    const { folder } = await prepare(test);
    test.git("worktree", "lock", "--reason=on a stick", folder);
    rmSync(folder, { recursive: true });
    await expect(prepare(test)).rejects.toThrow("locked worktree (on a stick)");
    expect(test.git("worktree", "list", "--porcelain")).toContain("locked on a stick");
  });

  it("is refused when a person created it", async () => {
    const test = newRepository();
    const elsewhere = join(dirname(test.path), "elsewhere");
    test.git("worktree", "add", "--quiet", "-b", BRANCH, elsewhere);
    rmSync(elsewhere, { recursive: true });
    await expect(prepare(test)).rejects.toThrow(elsewhere);
    expect(test.git("worktree", "list")).toContain(elsewhere);
  });

  it("leaves every other worktree registered", async () => {
    const test = newRepository();
    const other = join(dirname(test.path), "other");
    test.git("worktree", "add", "--quiet", "--detach", other);
    const { folder } = await prepare(test);
    rmSync(other, { recursive: true });
    rmSync(folder, { recursive: true });
    await prepare(test);
    expect(test.git("worktree", "list")).toContain(other);
  });
});

describe("something else at the worktree's path", () => {
  it.each<[string, (test: TestRepository) => void, string]>([
    ["a file", (test) => test.write(`.saga/worktrees/${STORY}`, "mine\n"), "is a file"],
    ["a link", (test) => test.link(`.saga/worktrees/${STORY}`, "/nowhere"), "is a link"],
    [
      "a folder with files",
      (test) => test.write(`.saga/worktrees/${STORY}/mine`, "mine\n"),
      "is a folder with other files",
    ],
    [
      "a clone",
      (test) => test.git("clone", "--quiet", test.path, placeIn(test)),
      "is another git repository",
    ],
    [
      "a worktree of another repository",
      (test) => newRepository("other").git("worktree", "add", "--quiet", placeIn(test)),
      "belongs to another repository",
    ],
    [
      "a folder whose .git file leads nowhere",
      (test) => {
        test.write(`.saga/worktrees/${STORY}/.git`, "gitdir: /nowhere/.git/worktrees/x\n");
        test.write(`.saga/worktrees/${STORY}/mine`, "mine\n");
      },
      "leads nowhere",
    ],
    [
      "a copy of another worktree",
      (test) => {
        const other = join(dirname(test.path), "other");
        test.git("worktree", "add", "--quiet", other);
        mkdirSync(placeIn(test), { recursive: true });
        for (const name of [".git", "read me.txt"]) {
          writeFileSync(join(placeIn(test), name), readFileSync(join(other, name)));
        }
      },
      "is a copy of the worktree",
    ],
    [
      "a link on the way to it",
      (test) => {
        mkdirSync(join(dirname(test.path), "disk"));
        symlinkSync(join(dirname(test.path), "disk"), join(test.path, ".saga/worktrees"));
      },
      "is behind a link",
    ],
    [
      "a worktree of another branch",
      (test) => test.git("worktree", "add", "--quiet", "-b", "mine", placeIn(test)),
      "is on the branch mine",
    ],
  ])("is refused and not touched: %s", async (_, put, sentence) => {
    const test = newRepository();
    put(test);
    const before = wholeDisk(dirname(test.path));
    await expect(prepare(test)).rejects.toThrow(sentence);
    expect(wholeDisk(dirname(test.path))).toBe(before);
  });

  it("is refused when the branch is checked out in the project itself", async () => {
    const test = newRepository();
    test.git("branch", "other");
    test.git("switch", "--quiet", "--create", BRANCH);
    await expect(prepare(test)).rejects.toThrow(`${BRANCH} is checked out in ${test.path}`);
  });

  it("is refused when the branch is checked out in a person's worktree", async () => {
    const test = newRepository();
    const elsewhere = join(dirname(test.path), "else where");
    test.git("worktree", "add", "--quiet", "-b", BRANCH, elsewhere);
    await expect(prepare(test)).rejects.toThrow(`is checked out in ${elsewhere}`);
  });

  it("names the branch that prevents the story's branch", async () => {
    const test = newRepository();
    test.git("branch", "story");
    await expect(prepare(test)).rejects.toThrow("while there is a branch story");
  });
});

describe("a worktree with a detached HEAD", () => {
  async function detached(): Promise<{ test: TestRepository; folder: string }> {
    const test = newRepository();
    const { folder } = await prepare(test);
    test.gitIn(folder, "add", "--all");
    test.gitIn(folder, "commit", "--quiet", "--message=work");
    test.gitIn(folder, "checkout", "--quiet", "--detach");
    return { test, folder };
  }
  const headOf = (test: TestRepository, folder: string): string =>
    test.gitIn(folder, "symbolic-ref", "HEAD");

  it("is attached again without touching a file", async () => {
    const { test, folder } = await detached();
    writeFileSync(join(folder, "read me.txt"), "changed\n");
    await prepare(test);
    expect(headOf(test, folder)).toBe(`refs/heads/${BRANCH}`);
    expect(test.gitIn(folder, "status", "--porcelain").trim()).toBe('M "read me.txt"');
  });

  it("moves the branch forward to the commits made there", async () => {
    const { test, folder } = await detached();
    writeFileSync(join(folder, "read me.txt"), "changed\n");
    test.gitIn(folder, "commit", "--quiet", "--all", "--message=alone");
    const alone = test.gitIn(folder, "rev-parse", "HEAD");
    writeFileSync(join(folder, "new"), "new\n");
    await prepare(test);
    expect(headOf(test, folder)).toBe(`refs/heads/${BRANCH}`);
    expect(test.git("rev-parse", BRANCH)).toBe(alone);
    expect(test.gitIn(folder, "status", "--porcelain")).toBe("?? new");
  });

  it("goes back to the branch from an older commit when it is clean", async () => {
    const { test, folder } = await detached();
    test.gitIn(folder, "checkout", "--quiet", "HEAD^");
    await prepare(test);
    expect(headOf(test, folder)).toBe(`refs/heads/${BRANCH}`);
    expect(test.gitIn(folder, "status", "--porcelain")).toBe("");
  });

  it("is refused on an older commit with changes", async () => {
    const { test, folder } = await detached();
    test.gitIn(folder, "checkout", "--quiet", "HEAD^");
    writeFileSync(join(folder, "read me.txt"), "changed\n");
    await expect(prepare(test)).rejects.toThrow("changes on an older commit");
    expect(readFileSync(join(folder, "read me.txt"), "utf8")).toBe("changed\n");
  });

  it("is refused when it has diverged from the branch, naming both commits", async () => {
    const { test, folder } = await detached();
    test.gitIn(folder, "checkout", "--quiet", "HEAD^");
    test.gitIn(folder, "commit", "--quiet", "--allow-empty", "--message=alone");
    const failing = prepare(test);
    await expect(failing).rejects.toThrow(test.gitIn(folder, "rev-parse", "HEAD"));
    await expect(failing).rejects.toThrow(test.git("rev-parse", BRANCH));
  });

  it.each(["rebase", "merge", "cherry-pick"])(
    "is refused while a %s is in progress",
    async (what) => {
      const { test, folder } = await detached();
      test.gitIn(folder, "switch", "--quiet", BRANCH);
      writeFileSync(join(folder, "read me.txt"), "here\n");
      test.gitIn(folder, "commit", "--quiet", "--all", "--message=here");
      test.write("read me.txt", "there\n");
      test.git("commit", "--quiet", "--all", "--message=there");
      expect(() => test.gitIn(folder, what, "main")).toThrow("Command failed");
      const before = test.gitIn(folder, "status");
      await expect(prepare(test)).rejects.toMatchObject({
        message: expect.stringContaining(`A ${what} is in progress`) as string,
        hint: expect.stringContaining(`git ${what} --abort`) as string,
      });
      expect(test.gitIn(folder, "status")).toBe(before);
    },
  );
});
