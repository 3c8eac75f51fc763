import { chmodSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { newRepository, prepare } from "../../../test/support/repository.ts";
import { readObjects } from "./object-reader.ts";
import { codeTree } from "../../repo/code-tree.ts";
import { treeEntries, treeId } from "./tree-entries.ts";

it("a tree is read as git lists it, and its entries give its id again", async () => {
  const test = newRepository();
  const { git } = await test.open();
  const commit = test.git("rev-parse", "main");
  const [tree] = await readObjects(git, [`${commit}^{tree}`]);
  if (tree === undefined) throw new Error("It has no tree.");
  const entries = treeEntries(tree);
  const names = test.git("ls-tree", "--format=%(objectname) %(path)", "main").split("\n");
  expect(entries.map(({ id, name }) => `${id} ${name}`)).toEqual(names);
  expect(entries.map(({ mode }) => mode)).toEqual(["40000", "100644", "40000"]);
  expect(treeId(entries, tree.id)).toBe(tree.id);
});

it("the tree of the code is the one that git makes without .saga, whatever its names and modes", async () => {
  const test = newRepository();
  test.write("a b/ä\tx", "1\n");
  test.write("run.sh", "#!/bin/sh\n");
  chmodSync(join(test.path, "run.sh"), 0o755);
  symlinkSync("run.sh", join(test.path, "link"));
  test.git("add", "--all");
  test.git("commit", "--quiet", "--message=more");
  const { git } = await test.open();
  test.git("rm", "-r", "--quiet", "--cached", ".saga");
  const code = test.git("write-tree");
  expect(await codeTree(git, "refs/heads/main")).toBe(code);
  // Each checkout has its own.
  const { folder } = await prepare(test);
  writeFileSync(join(folder, "more"), "more\n");
  test.gitIn(folder, "add", "more");
  test.gitIn(folder, "commit", "--quiet", "--message=more");
  expect(await codeTree(git.at(folder), "HEAD")).not.toBe(code);
  expect(await codeTree(git, "HEAD")).toBe(code);
  // Without anything of Saga's it is the commit's own.
  test.git("commit", "--quiet", "--message=without");
  expect(await codeTree(git, test.git("rev-parse", "main"))).toBe(code);
});
