import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { newRepository, prepare, STORY } from "../../../test/support/repository.ts";
import { readSnapshots } from "../snapshots/snapshot.ts";
import { canBring, mergeTargetInto } from "./merge-target.ts";

/** A story with a commit, and a target that has moved. */
async function newStory(theirs: { readonly file: string }) {
  const test = newRepository();
  const { folder } = await prepare(test);
  writeFileSync(join(folder, "src/main.ts"), "story\n");
  test.gitIn(folder, "commit", "--quiet", "--all", "--message=story");
  const tip = test.gitIn(folder, "rev-parse", "HEAD");
  test.write(theirs.file, "target\n");
  test.git("add", theirs.file);
  test.git("commit", "--quiet", "--message=target");
  const onto = test.git("rev-parse", "main");
  const { git } = await test.open();
  const request = { git: git.at(folder), storyId: STORY, target: "main", onto };
  const head = (): string => test.gitIn(folder, "rev-parse", "HEAD");
  return { test, folder, tip, onto, request, head };
}

it("merges the target into the story's branch, once, and keeps the commit from before", async () => {
  const { test, folder, tip, onto, request, head } = await newStory({ file: "read me.txt" });
  expect(await canBring(request)).toBe(true);
  expect(head()).toBe(tip);
  expect(await mergeTargetInto(request)).toBe(true);
  const merged = head();
  expect(test.gitIn(folder, "rev-parse", "HEAD^1", "HEAD^2").split("\n")).toEqual([tip, onto]);
  expect(test.gitIn(folder, "log", "-1", "--format=%B")).toContain(`Saga-Story: ${STORY}`);
  expect(readFileSync(join(folder, "read me.txt"), "utf8")).toBe("target\n");
  expect((await readSnapshots(request.git, STORY)).map(({ parents }) => parents[0])).toEqual([tip]);
  expect([await mergeTargetInto(request), await canBring(request), head()]).toEqual([
    true,
    true,
    merged,
  ]);
});

it("changes nothing at a conflict", async () => {
  const { test, folder, tip, request, head } = await newStory({ file: "src/main.ts" });
  expect(await canBring(request)).toBe(false);
  expect(await mergeTargetInto(request)).toBe(false);
  expect([head(), test.gitIn(folder, "status", "--porcelain", "-uno")]).toEqual([tip, ""]);
  expect(await readSnapshots(request.git, STORY)).toEqual([]);
});

it("overwrites no file that is not committed", async () => {
  const { folder, tip, request, head } = await newStory({ file: "new.txt" });
  writeFileSync(join(folder, "new.txt"), "mine\n");
  await expect(mergeTargetInto(request)).rejects.toThrow("main could not be merged");
  expect(head()).toBe(tip);
  expect(readFileSync(join(folder, "new.txt"), "utf8")).toBe("mine\n");
});
