import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { newRepository, type TestRepository } from "../../../test/support/repository.ts";
import { findBase } from "../repository.ts";
import { freshWorktree } from "./fresh-worktree.ts";
import { readSnapshots } from "../snapshots/snapshot.ts";

const WORKER = "auto-1";

interface Fresh {
  readonly folder: string;
  readonly warnings: readonly string[];
  readonly in: (...args: string[]) => string;
}

async function fresh(test: TestRepository, exclude: readonly string[] = []): Promise<Fresh> {
  const repository = await test.open();
  const warnings: string[] = [];
  const { folder } = await freshWorktree({
    repository,
    storyId: WORKER,
    base: await findBase(repository, "main"),
    exclude,
    unsavedFolder: join(test.path, "..", "aside"),
    onSnapshot: () => undefined,
    onWarning: (sentence) => warnings.push(sentence),
  });
  return { folder, warnings, in: (...args) => test.gitIn(folder, ...args) };
}

const keeps = async (test: TestRepository) => readSnapshots((await test.open()).git, WORKER);

function moveMain(test: TestRepository): string {
  test.write("src/new.ts", "export {};\n");
  test.git("add", "src/new.ts");
  test.git("commit", "--quiet", "--message=second");
  return test.git("rev-parse", "main");
}

it("is created on the target, without any story's files", async () => {
  const test = newRepository();
  const { folder, in: git } = await fresh(test);
  expect(git("rev-parse", "HEAD")).toBe(test.git("rev-parse", "main"));
  expect(git("symbolic-ref", "HEAD")).toBe("refs/heads/story/auto-1");
  expect(git("status", "--porcelain")).toBe("");
  expect(existsSync(join(folder, ".saga/stories"))).toBe(false);
});

it("follows the target and leaves ignored files", async () => {
  const test = newRepository();
  test.write(".gitignore", "cache/\n");
  test.git("add", ".gitignore");
  test.git("commit", "--quiet", "--message=ignore");
  const { folder } = await fresh(test);
  test.write(".saga/worktrees/auto-1/cache/warm", "warm\n");
  const main = moveMain(test);
  const again = await fresh(test);
  expect(again.in("rev-parse", "HEAD")).toBe(main);
  expect(readFileSync(join(folder, "cache/warm"), "utf8")).toBe("warm\n");
  expect(await keeps(test)).toEqual([]);
});

it("saves uncommitted, staged and new files in a snapshot first", async () => {
  const test = newRepository();
  const { folder, in: git } = await fresh(test);
  writeFileSync(join(folder, "src/main.ts"), "changed\n");
  writeFileSync(join(folder, "staged.ts"), "staged\n");
  git("add", "staged.ts");
  writeFileSync(join(folder, "new.ts"), "new\n");
  await fresh(test);
  expect(git("status", "--porcelain")).toBe("");
  expect(existsSync(join(folder, "new.ts"))).toBe(false);
  const [keep] = await keeps(test);
  for (const [file, text] of [
    ["src/main.ts", "changed"],
    ["staged.ts", "staged"],
    ["new.ts", "new"],
  ]) {
    expect(test.git("show", `${keep?.ref}:${file}`)).toBe(text);
  }
});

it("saves commits that were never merged, including those on no branch", async () => {
  const test = newRepository();
  const { in: git } = await fresh(test);
  git("commit", "--quiet", "--allow-empty", "--message=on the branch");
  const onBranch = git("rev-parse", "HEAD");
  git("checkout", "--quiet", "--detach");
  git("commit", "--quiet", "--allow-empty", "--message=on none");
  const onNone = git("rev-parse", "HEAD");
  const main = moveMain(test);
  const again = await fresh(test);
  expect(again.in("rev-parse", "HEAD")).toBe(main);
  expect((await keeps(test)).flatMap(({ parents }) => parents[0])).toEqual(
    expect.arrayContaining([onBranch, onNone]),
  );
});

it.each([
  ["a merge", ["merge", "--no-edit", "other"]],
  ["a rebase", ["rebase", "other"]],
  ["a cherry-pick", ["cherry-pick", "other"]],
])("ends %s that was left in the middle, with both sides kept", async (_, command) => {
  const test = newRepository();
  test.git("branch", "other");
  const { folder, in: git } = await fresh(test);
  test.git("checkout", "--quiet", "other");
  test.write("src/main.ts", "theirs\n");
  test.git("commit", "--quiet", "--all", "--message=theirs");
  test.git("checkout", "--quiet", "main");
  writeFileSync(join(folder, "src/main.ts"), "ours\n");
  git("commit", "--quiet", "--all", "--message=ours");
  expect(() => git(...command)).toThrow("Command failed");
  const again = await fresh(test);
  expect(again.in("rev-parse", "HEAD")).toBe(test.git("rev-parse", "main"));
  expect(again.in("status", "--porcelain")).toBe("");
  const texts = (await keeps(test)).map(({ ref }) => test.git("show", `${ref}:src/main.ts`));
  expect(texts.join("\n")).toContain("ours");
  expect(texts.join("\n")).toContain("theirs");
});

it("moves a nested repository out, because no snapshot can hold one", async () => {
  const test = newRepository();
  const { folder, in: git } = await fresh(test);
  test.write(".saga/worktrees/auto-1/nested/file", "inside\n");
  test.gitIn(join(folder, "nested"), "init", "--quiet");
  const again = await fresh(test);
  expect(git("status", "--porcelain")).toBe("");
  expect(again.warnings.join()).toContain("nested/ could not be saved in a snapshot");
  expect(readFileSync(join(test.path, "../aside/nested/file"), "utf8")).toBe("inside\n");
});

it("leaves changes in a submodule, even with submodule.recurse set", async () => {
  const [test, library] = [newRepository(), newRepository("library")];
  test.git("submodule", "add", "--quiet", library.path, "library");
  test.git("commit", "--quiet", "--message=library");
  const { folder, in: git } = await fresh(test);
  git("submodule", "update", "--quiet", "--init");
  writeFileSync(join(folder, "library/read me.txt"), "changed inside\n");
  test.git("config", "submodule.recurse", "true");
  await fresh(test);
  expect(readFileSync(join(folder, "library/read me.txt"), "utf8")).toBe("changed inside\n");
});

it("moves a file out whose name git rejects, because no snapshot can hold it", async () => {
  const test = newRepository();
  const { folder, in: git } = await fresh(test);
  test.write(".saga/worktrees/auto-1/src/git~1", "only here\n");
  writeFileSync(join(folder, "new.ts"), "new\n");
  const again = await fresh(test);
  expect(git("status", "--porcelain")).toBe("");
  expect(again.warnings.join()).toContain("src/git~1 could not be saved in a snapshot");
  expect(readFileSync(join(test.path, "../aside/src/git~1"), "utf8")).toBe("only here\n");
  const [keep] = await keeps(test);
  expect(test.git("show", `${keep?.ref}:new.ts`)).toBe("new");
});

it.each(["--assume-unchanged", "--skip-worktree"])(
  "keeps changes in a file that git was told to skip: %s",
  async (flag) => {
    const test = newRepository();
    const { folder, in: git } = await fresh(test);
    git("update-index", flag, "src/main.ts");
    writeFileSync(join(folder, "src/main.ts"), "changed\n");
    moveMain(test);
    await fresh(test);
    const [keep] = await keeps(test);
    expect(test.git("show", `${keep?.ref}:src/main.ts`)).toBe("changed");
  },
);

it("leaves provisioned files, whatever their names", async () => {
  const test = newRepository();
  const { folder } = await fresh(test);
  const names = [".env", "a file [1]*.txt"];
  for (const name of names) writeFileSync(join(folder, name), "own\n");
  await fresh(test, names);
  for (const name of names) expect(readFileSync(join(folder, name), "utf8")).toBe("own\n");
  expect(await keeps(test)).toEqual([]);
});
