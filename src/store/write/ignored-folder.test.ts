import { join } from "node:path";
import { expect, it } from "vitest";
import { newRepository } from "../../../test/support/repository.ts";
import { makeIgnoredFolder } from "./ignored-folder.ts";

it("makes a folder that git ignores, also in a project with an older .gitignore", () => {
  const test = newRepository();
  test.write(".saga/.gitignore", "runs/\n");
  test.git("commit", "--quiet", "--all", "--message=older");
  const before = test.git("status", "--porcelain");
  makeIgnoredFolder(join(test.path, ".saga/conflicts"));
  makeIgnoredFolder(join(test.path, ".saga/conflicts"));
  test.write(".saga/conflicts/one.json", {});
  expect(test.git("status", "--porcelain")).toBe(before);
});
