import { renameSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { newRepository, type TestRepository } from "../../../test/support/repository.ts";
import { changedPaths } from "./changed-paths.ts";

const idOf = (test: TestRepository, name: string): string => test.git("rev-parse", name);

it("lists what differs from where a story began, in both names of a moved file, without Saga's files", async () => {
  const test = newRepository();
  test.git("switch", "--quiet", "--create", "story/one");
  renameSync(join(test.path, "src/main.ts"), join(test.path, "moved.ts"));
  test.write("ä\n.txt", "odd\n");
  test.write(".saga/stories/one/story.json", {});
  test.git("add", "--all");
  test.git("commit", "--quiet", "--message=work");
  test.git("switch", "--quiet", "main");
  test.write("read me.txt", "someone else's change\n");
  test.git("commit", "--quiet", "--all", "--message=meanwhile");
  const { git } = await test.open();
  const changed = await changedPaths(git, idOf(test, "main^"), idOf(test, "story/one"));
  expect(changed).toMatchObject({ emptied: ["src"], isEverything: false });
  expect(changed.paths).toHaveLength(3);
  expect(changed.paths).toEqual(expect.arrayContaining(["moved.ts", "src/main.ts"]));
});

it("counts work without a known start as changes to everything", async () => {
  const test = newRepository();
  const { git } = await test.open();
  expect(await changedPaths(git, undefined, idOf(test, "main"))).toMatchObject({
    isEverything: true,
  });
});
