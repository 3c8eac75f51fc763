import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newFolder } from "../../../test/support/project.ts";
import { cacheVariables, guardedIn } from "./sandbox.ts";

describe("the sandbox", () => {
  it("guards existing parts of the shared git directory only", () => {
    const git = newFolder();
    for (const file of ["HEAD", "refs/heads/main", "objects/pack/x", "config", "saga/y", "zzz"]) {
      git.write(file, "");
    }
    const names = ["HEAD", "objects/pack", "refs", "saga"];
    expect(guardedIn(git.path)).toEqual(names.map((name) => join(git.path, name)));
  });

  it("gives package managers a cache in the worktree's git folder", () => {
    expect(cacheVariables("/g")).toMatchObject({ npm_config_cache: "/g/saga-cache/npm" });
  });
});
