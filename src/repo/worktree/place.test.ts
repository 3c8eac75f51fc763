import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newFolder } from "../../../test/support/project.ts";
import { newRepository } from "../../../test/support/repository.ts";
import { inProgress, lockOf, readPlace, type WorktreePlace } from "./place.ts";

const how = (place: WorktreePlace): string => ("how" in place ? place.how : place.kind);

describe("the place of a worktree", () => {
  it("is free if it is missing or empty, and occupied by anything else", async () => {
    const test = newRepository();
    const repository = await test.open();
    const at = (name: string) => readPlace(repository, join(test.path, name), undefined);
    mkdirSync(join(test.path, "empty"));
    test.write("file", "");
    test.write("full/notes.txt", "");
    test.link("link", "full");
    test.write("own/.git/HEAD", "");
    test.write("lost/.git", "gitdir: /nowhere\n");
    test.write("left/.git", "gitdir: /nowhere\n");
    test.write("left/notes.txt", "");
    expect(await at("missing")).toEqual({ kind: "free" });
    expect(await at("empty")).toEqual({ kind: "free" });
    expect(await at("file")).toEqual({ kind: "occupied", how: "is a file" });
    expect(await at("link")).toEqual({ kind: "occupied", how: "is a link" });
    expect(how(await at("full"))).toMatch(/not a worktree/);
    expect(await at("own")).toEqual({ kind: "occupied", how: "is another git repository" });
    expect(await at("lost")).toEqual({ kind: "incomplete" });
    expect(how(await at("left"))).toMatch(/leads nowhere/);
    expect(how(await at("link/deep"))).toMatch(/behind a link/);
    expect(how(await at("file/deep"))).toMatch(/below a file/);
  });
});

it("sees which operation of git a person or an agent has begun", () => {
  const { path, write } = newFolder();
  expect(inProgress(path)).toBeUndefined();
  write("MERGE_HEAD", "");
  expect(inProgress(path)).toBe("merge");
  // A rebase may stop in the middle of a merge.
  mkdirSync(join(path, "rebase-merge"));
  expect(inProgress(path)).toBe("rebase");
});

it("reads why a worktree is locked, which may be without a reason", () => {
  const { path } = newFolder();
  expect(lockOf(path)).toBeUndefined();
  writeFileSync(join(path, "locked"), "\n");
  expect(lockOf(path)).toBe("");
  writeFileSync(join(path, "locked"), "on a stick\n");
  expect(lockOf(path)).toBe("on a stick");
});
