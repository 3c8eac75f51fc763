import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { newRepository, prepare } from "../../../test/support/repository.ts";
import { withUncommitted } from "./uncommitted.ts";

async function newWorktree(name?: string) {
  const test = newRepository(name);
  const { folder, gitDir } = await prepare(test);
  test.gitIn(folder, "add", "--all");
  test.gitIn(folder, "commit", "--quiet", "--message=Start");
  const git = (await test.open()).git.at(folder);
  const read = (exclude: readonly string[] = []) =>
    withUncommitted(git, exclude, (found) =>
      found.git.ask(["diff", "--name-status", "HEAD", found.tree]),
    );
  return { test, folder, gitDir, read };
}

it("finds changed, new and deleted files, and writes nothing to the repository", async () => {
  const { test, folder, gitDir, read } = await newWorktree('a:b "c"');
  expect(await read()).toBeUndefined();
  writeFileSync(join(folder, "new"), "new\n");
  writeFileSync(join(folder, "read me.txt"), "changed\n");
  writeFileSync(join(folder, ".env"), "SECRET=1\n");
  rmSync(join(folder, "src/main.ts"));
  const state = (): unknown => [
    readFileSync(join(gitDir, "index")).toString("hex"),
    readdirSync(gitDir).toSorted(),
    test.git("count-objects", "-v"),
    test.git("for-each-ref"),
  ];
  const before = state();
  expect(await read([".env"])).toBe("A\tnew\nM\tread me.txt\nD\tsrc/main.ts");
  expect(state()).toEqual(before);
});

it("reads a worktree whose index an agent has locked, and one with conflicts", async () => {
  const { test, folder, gitDir, read } = await newWorktree();
  writeFileSync(join(folder, "read me.txt"), "ours\n");
  test.gitIn(folder, "commit", "--quiet", "--all", "--message=Ours");
  test.write("read me.txt", "theirs\n");
  test.git("commit", "--quiet", "--all", "--message=Theirs");
  expect(() => test.gitIn(folder, "merge", "main")).toThrow("merge");
  writeFileSync(join(gitDir, "index.lock"), "");
  expect(await read()).toBe("M\tread me.txt");
});
