import { join } from "node:path";
import { realpathSync } from "node:fs";
import { expect, it } from "vitest";
import { newFolder } from "../../../test/support/project.ts";
import { newRepository } from "../../../test/support/repository.ts";
import { commonDirOf } from "./common-dir.ts";

it("is the same for a checkout, a folder in it and a worktree, and undefined outside", () => {
  const { path, git } = newRepository();
  const worktree = join(newFolder().path, "tree");
  git("worktree", "add", "--quiet", "--detach", worktree);
  const common = realpathSync(join(path, ".git"));
  for (const folder of [path, join(path, "src"), worktree]) {
    expect(commonDirOf(folder)).toBe(common);
  }
  expect(commonDirOf(newFolder().path)).toBeUndefined();
  expect(commonDirOf(join(path, "not-there"))).toBeUndefined();
});
