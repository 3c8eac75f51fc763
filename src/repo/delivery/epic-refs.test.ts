import { expect, it } from "vitest";
import { newRepository } from "../../../test/support/repository.ts";
import { openGit } from "../../machine/programs/git.ts";
import { isInBase } from "./epic-refs.ts";

it("work is in the base after a merge and after a squash, and a branch without work is not merged", async () => {
  const test = newRepository();
  const git = openGit(test.path, test.env);
  const from = test.git("rev-parse", "main");
  test.git("checkout", "--quiet", "-b", "epic/shop");
  test.write("shop.txt", "open\n");
  test.git("add", "shop.txt");
  test.git("commit", "--quiet", "--message=Shop");
  const last = test.git("rev-parse", "HEAD");
  test.git("checkout", "--quiet", "main");
  expect(await isInBase(git, { from, last: from, base: "main" })).toBe(false);
  expect(await isInBase(git, { from: undefined, last, base: "main" })).toBe(false);
  expect(await isInBase(git, { from, last, base: "main" })).toBe(false);
  test.git("merge", "--quiet", "--squash", "epic/shop");
  test.git("commit", "--quiet", "--message=All of it");
  expect(await isInBase(git, { from, last, base: "main" })).toBe(true);
  test.git("merge", "--quiet", "--no-ff", "--message=Merge", "epic/shop");
  expect(await isInBase(git, { from, last, base: "main" })).toBe(true);
});
