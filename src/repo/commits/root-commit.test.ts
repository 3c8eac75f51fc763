import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import { newClones } from "../../../test/support/clones.ts";
import { newFolder } from "../../../test/support/project.ts";
import { atFolder } from "../../../test/support/repository.ts";
import { rootCommit } from "./root-commit.ts";

it("is the same in every clone, and stays the same", async () => {
  const { ann, bob } = await newClones();
  const root = await rootCommit(ann.repository);
  expect(root).toBe(ann.git("rev-list", "--max-parents=0", "HEAD"));
  expect(await rootCommit(bob.repository)).toBe(root);
  expect(await rootCommit(ann.repository)).toBe(root);
});

it("refuses a shallow clone, which lacks it", async () => {
  const { remote } = await newClones();
  const folder = newFolder("shallow");
  execFileSync("git", ["clone", "--quiet", "--depth=1", `file://${remote}`, folder.path]);
  const shallow = await atFolder(folder).open();
  await expect(rootCommit(shallow)).rejects.toThrow("This clone is shallow");
});
