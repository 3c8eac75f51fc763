import { execFileSync } from "node:child_process";
import { readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newRepository, type TestRepository } from "../../../test/support/repository.ts";
import { mayContainLinks, mayListRepositories } from "./index-repositories.ts";

/** A repository with another one in it, which is in the index. */
function withNested(): TestRepository {
  const test = newRepository();
  test.git("init", "--quiet", join(test.path, "nested"));
  test.gitIn(join(test.path, "nested"), "commit", "--quiet", "--allow-empty", "--message=One");
  test.git("-c", "advice.addEmbeddedRepo=false", "add", "nested");
  return test;
}

const look = async (test: TestRepository, env = {}): Promise<boolean> =>
  mayListRepositories((await test.open()).git, env);

describe("an index", () => {
  it("of files alone lists no repository", async () => {
    const test = newRepository();
    expect(await look(test)).toBe(false);
    rmSync(join(test.path, ".git/index"));
    expect(await look(test)).toBe(false);
  });

  it.each([2, 3, 4])("of version %i lists a repository that was added", async (version) => {
    const test = withNested();
    if (version === 3) {
      test.write("later.txt", "");
      test.git("add", "--intent-to-add", "later.txt");
    } else test.git("update-index", `--index-version=${version}`);
    expect(readFileSync(join(test.path, ".git/index"))[7]).toBe(version);
    expect(await look(test)).toBe(true);
  });

  it("that is split or sparse is left to git", async () => {
    const test = withNested();
    test.git("update-index", "--split-index");
    expect(await look(test)).toBe(true);
    expect(mayContainLinks(Buffer.from("DIRC sdir"))).toBe(true);
  });

  it("that a call names is the one that counts", async () => {
    const test = newRepository();
    const other = join(withNested().path, ".git/index");
    expect(await look(test, { GIT_INDEX_FILE: other })).toBe(true);
    expect(await look(test, { GIT_INDEX_FILE: join(test.path, ".git/index") })).toBe(false);
    expect(await look(test, { GIT_INDEX_FILE: "index" })).toBe(true);
    expect(await look(test, { GIT_DIR: join(test.path, ".git") })).toBe(true);
  });

  it("in whose place is a pipe is left to git", async () => {
    const test = newRepository();
    const index = join(test.path, ".git/index");
    const { git } = await test.open();
    renameSync(index, `${index}.away`);
    execFileSync("mkfifo", [index]);
    expect(mayListRepositories(git, {})).toBe(true);
  });

  it("of a worktree whose git folder is unknown is left to git", async () => {
    const test = newRepository();
    const { git } = await test.open();
    expect(mayListRepositories(git.at(join(test.path, "elsewhere")), {})).toBe(true);
  });
});
