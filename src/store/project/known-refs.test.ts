import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newProject } from "../../../test/support/project.ts";
import { newRepository, STORY, type TestRepository } from "../../../test/support/repository.ts";
import { doneRef } from "../../repo/records/delivery-record.ts";
import { knownRefs } from "./known-refs.ts";
import { layoutOf } from "./layout.ts";

const factsIn = (project: string): Record<string, boolean> => {
  const refs = knownRefs(layoutOf(project));
  return { isMerged: refs.isMergeRecorded(STORY), hasBranch: refs.hasBranch(STORY) };
};

function withRefs(): TestRepository {
  const test = newRepository();
  test.git("update-ref", doneRef(STORY), "main");
  test.git("branch", `story/${STORY}`);
  return test;
}

describe("the refs of a story are found", () => {
  it("loose and packed", () => {
    const test = withRefs();
    expect(factsIn(test.path)).toEqual({ isMerged: true, hasBranch: true });
    test.git("pack-refs", "--all");
    expect(factsIn(test.path)).toEqual({ isMerged: true, hasBranch: true });
    test.git("update-ref", "-d", doneRef(STORY));
    test.git("branch", "--delete", `story/${STORY}`);
    expect(factsIn(test.path)).toEqual({ isMerged: false, hasBranch: false });
  });

  it("from a project that is a worktree", () => {
    const test = withRefs();
    const other = join(test.path, "..", "other");
    test.git("worktree", "add", "--quiet", "--detach", other);
    expect(factsIn(other)).toEqual({ isMerged: true, hasBranch: true });
  });

  it("by their full name and kind", () => {
    const test = newRepository();
    test.git("update-ref", `${doneRef(STORY)}-page`, "main");
    test.git("update-ref", `refs/saga/merge/${STORY}`, "main");
    test.git("branch", `story/${STORY}-page`);
    test.git("tag", `story/${STORY}`);
    for (const how of ["loose", "packed"]) {
      expect(factsIn(test.path), how).toEqual({ isMerged: false, hasBranch: false });
      test.git("pack-refs", "--all");
    }
  });
});

it("without a repository nothing is merged", () => {
  expect(factsIn(newProject().path)).toEqual({ isMerged: false, hasBranch: false });
  const test = withRefs();
  rmSync(join(test.path, ".git"), { recursive: true });
  test.write(".git", "no path\n");
  expect(factsIn(test.path)).toEqual({ isMerged: false, hasBranch: false });
});

it("in a repository with reftables the runs are trusted", () => {
  const project = newProject();
  mkdirSync(join(project.path, ".git/reftable"), { recursive: true });
  expect(factsIn(project.path)).toEqual({ isMerged: true, hasBranch: false });
});
