import { readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { projectWith } from "../../../test/support/one-story.ts";
import { aStory, aTask, newFolder, snapshot, type Project } from "../../../test/support/project.ts";
import { openStore } from "../file-store.ts";
import { layoutOf } from "../project/layout.ts";
import { commit } from "./transaction.ts";
import { withProjectLock } from "./write-lock.ts";

const withStory = (): Project => projectWith(aStory("one"), aTask("first"));

const EMPTY_PLAN = { epics: [], stories: [], isPartial: false };

const STAGE = { canUpdate: false, source: { name: "plan" } };

describe("a change of several files", () => {
  it("that was committed but not finished is finished by the next reader", async () => {
    const project = withStory();
    project.write(".saga/transaction/0", JSON.stringify(aStory("two")));
    project.write(".saga/transaction/1", JSON.stringify(aTask("second")));
    project.write(".saga/transaction/moves.json", [
      { from: "0", to: "stories/two/story.json" },
      { from: "1", to: "stories/two/second.json" },
    ]);
    const { stories } = await openStore(project.path).overview();
    expect([...stories.keys()]).toEqual(["one", "two"]);
    expect(readdirSync(join(project.path, ".saga"))).not.toContain("transaction");
  });

  it("that was not committed is removed", async () => {
    const project = withStory();
    project.write(".saga/transaction/0", "half");
    const { stories } = await openStore(project.path).overview();
    expect([...stories.keys()]).toEqual(["one"]);
    expect(readdirSync(join(project.path, ".saga"))).not.toContain("transaction");
  });

  it.each([
    ["from outside", { from: "../../precious", to: "stories/x" }],
    ["to the outside", { from: "0", to: "../outside" }],
    ["to a file of git", { from: "0", to: "worktrees/one/.git" }],
    ["to code", { from: "0", to: "worktrees/one/src/main.ts" }],
  ])("that came with a repository is refused when it moves a file %s", async (_, move) => {
    const home = newFolder();
    home.write("precious", "mine");
    home.write("project/.saga/stories/one/story.json", aStory("one"));
    home.write("project/.saga/transaction/0", "x");
    home.write("project/.saga/transaction/moves.json", [move]);
    const before = snapshot(home.path);
    const store = openStore(join(home.path, "project"));
    expect([...(await store.overview()).stories.keys()]).toEqual(["one"]);
    await expect(store.stage(EMPTY_PLAN, STAGE)).rejects.toThrow(
      /record of an unfinished change is invalid/,
    );
    expect(snapshot(home.path)).toBe(before);
  });

  it("is finished before the next change of the same files", async () => {
    const project = withStory();
    project.write(".saga/transaction/0", JSON.stringify(aStory("one", { title: "Decided" })));
    project.write(".saga/transaction/moves.json", [{ from: "0", to: "stories/one/story.json" }]);
    await openStore(project.path).updateStory("one", (fields) => ({ ...fields, priority: 1 }));
    expect(project.json(".saga/stories/one/story.json")).toMatchObject({
      title: "Decided",
      priority: 1,
    });
  });

  it("does not follow a link out of .saga", async () => {
    const project = withStory();
    const elsewhere = newFolder("elsewhere");
    symlinkSync(elsewhere.path, join(project.path, ".saga/epics"));
    const change = { path: join(project.path, ".saga/epics/x/epic.json"), text: "{}" };
    const committing = withProjectLock(
      layoutOf(project.path),
      () => [],
      (lock) => commit(lock, [change, change]),
    );
    await expect(committing).rejects.toThrow(/leads out/);
    expect(readdirSync(elsewhere.path)).toEqual([]);
  });

  it("into a folder that is a file is refused, and nothing is written", async () => {
    const project = withStory();
    writeFileSync(join(project.path, ".saga/epics"), "in the way");
    const before = snapshot(project.path);
    const paths = ["epics/x/epic.json", "stories/two/story.json"];
    const changes = paths.map((path) => ({ path: join(project.path, ".saga", path), text: "{}" }));
    const committing = withProjectLock(
      layoutOf(project.path),
      () => [],
      (lock) => commit(lock, changes),
    );
    await expect(committing).rejects.toThrow(/in the way/);
    expect(snapshot(project.path)).toBe(before);
  });
});
