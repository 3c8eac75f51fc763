import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newRepository, type TestRepository } from "../../../test/support/repository.ts";
import { tryMerges } from "./try-merges.ts";

/** Branches of `main`, each with one commit. */
function branches(
  work: Readonly<Record<string, Readonly<Record<string, string>>>>,
): TestRepository {
  const test = newRepository("pro:ject");
  for (const [name, files] of Object.entries(work)) {
    test.git("switch", "--quiet", "--create", name, "main");
    for (const [path, text] of Object.entries(files)) test.write(path, text);
    test.git("add", "--all");
    test.git("commit", "--quiet", `--message=${name}`);
  }
  test.git("switch", "--quiet", "main");
  return test;
}

const conflictsWith = async (test: TestRepository, ours: string, theirs: string[]) => {
  const repository = await test.open();
  const commit = (name: string): string => test.git("rev-parse", name);
  return tryMerges(repository, { storyId: "one", ours: commit(ours), theirs: theirs.map(commit) });
};

const objects = (test: TestRepository): string => test.git("count-objects", "--verbose");

describe("merges that are only tried", () => {
  it("give the files that conflict, in the order asked for, and leave nothing behind", async () => {
    const test = branches({
      one: { "src/main.ts": "one\n", "a.txt": "a\n" },
      two: { "src/main.ts": "two\n", "a.txt": "b\n" },
      three: { "read me.txt": "three\n" },
    });
    const before = [objects(test), test.git("status", "--porcelain"), test.git("for-each-ref")];
    const found = await conflictsWith(test, "one", ["three", "two", "main"]);
    expect(found).toEqual([[], ["a.txt", "src/main.ts"], []]);
    expect([objects(test), test.git("status", "--porcelain"), test.git("for-each-ref")]).toEqual(
      before,
    );
    expect(readdirSync(join(test.path, ".git/saga/tried-merges"))).toEqual([]);
  });

  it("do not count Saga's own files, which Saga merges itself", async () => {
    const test = branches({
      one: { ".saga/stories/x/story.json": "1\n" },
      two: { ".saga/stories/x/story.json": "2\n" },
    });
    expect(await conflictsWith(test, "one", ["two"])).toEqual([[]]);
  });

  it("leave out one that git cannot do, and do the others", async () => {
    const test = branches({ one: { "src/main.ts": "one\n" }, two: { "src/main.ts": "two\n" } });
    test.git("switch", "--quiet", "--orphan", "other");
    test.git("commit", "--quiet", "--allow-empty", "--message=other");
    const before = objects(test);
    expect(await conflictsWith(test, "one", ["other", "two"])).toEqual([
      undefined,
      ["src/main.ts"],
    ]);
    expect(objects(test)).toBe(before);
  });
});
