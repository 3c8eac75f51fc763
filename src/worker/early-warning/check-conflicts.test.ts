import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newRepository, type TestRepository } from "../../../test/support/repository.ts";
import { openStore } from "../../store/file-store.ts";
import { checkConflicts, type ConflictCheck } from "./check-conflicts.ts";

interface Stories {
  readonly test: TestRepository;
  readonly commit: (story: string, files: Readonly<Record<string, string>>) => void;
  readonly look: (story: string, isOpen?: boolean) => Promise<ConflictCheck>;
  readonly stored: () => Promise<string[]>;
}

function newStories(): Stories {
  const test = newRepository();
  // The clean-up of one commit must not remove another's story.
  rmSync(join(test.path, ".saga/stories"), { recursive: true });
  const store = openStore(test.path);
  let second = 0;
  const commit: Stories["commit"] = (story, files) => {
    const branch = story === "main" ? "main" : `story/${story}`;
    const isThere = test.git("branch", "--list", branch) !== "";
    test.git("switch", "--quiet", ...(isThere ? [branch] : ["--create", branch, "main"]));
    for (const [path, text] of Object.entries(files)) test.write(path, text);
    test.git("add", "--all");
    test.git("commit", "--quiet", "--message=work");
    test.git("switch", "--quiet", "main");
  };
  return {
    test,
    commit,
    look: async (story, isOpen = true) =>
      checkConflicts({
        repository: await test.open(),
        openWorks: store.openWorks,
        story: { id: story, title: `Do ${story}`, description: `What ${story} is for.` },
        target: { branch: "main", refs: ["refs/heads/main", "refs/remotes/origin/main"] },
        isOpen: async () => isOpen,
        now: () => 1_000_000_000_000 + 1000 * second++,
      }),
    stored: async () => (await store.openWorks.list()).map(({ story }) => story),
  };
}

const conflictTexts = ({ conflicts }: ConflictCheck): string[] =>
  conflicts.map(({ story, with: { name }, files }) => `${story} ${name} ${files.join(" ")}`);

it("what the story began with is not its own change, even if the branch here lacks it", async () => {
  const { test, commit, look } = newStories();
  const here = test.git("rev-parse", "main");
  commit("main", { "src/main.ts": "of the remote\n" });
  test.git("update-ref", "refs/remotes/origin/main", "main");
  commit("one", { "own.ts": "one\n" });
  test.git("reset", "--quiet", "--hard", here);
  const { works } = await look("one");
  expect(works[0]?.changes.paths).toEqual(["own.ts"]);
});

describe("two stories that change the same lines", () => {
  it("are found in conflict by the one that commits second, and the first one reads it", async () => {
    const { commit, look } = newStories();
    commit("one", { "src/main.ts": "one\n" });
    expect(conflictTexts(await look("one"))).toEqual([]);
    commit("two", { "src/main.ts": "two\n" });
    const found = await look("two");
    expect(conflictTexts(found)).toEqual(["one two src/main.ts"]);
    expect(found.works.find(({ story }) => story === "one")).toMatchObject({
      title: "Do one",
      intent: "What one is for.",
    });
    expect(conflictTexts(await look("one"))).toEqual(["one two src/main.ts"]);
  });

  it("are not, once one of them takes its change back", async () => {
    const { commit, look } = newStories();
    commit("one", { "src/main.ts": "one\n" });
    commit("two", { "src/main.ts": "two\n" });
    await look("one");
    expect(conflictTexts(await look("two"))).toHaveLength(1);
    commit("two", { "src/main.ts": "export {};\n" });
    await look("two");
    expect(conflictTexts(await look("two"))).toEqual([]);
    expect(conflictTexts(await look("one"))).toEqual([]);
  });

  it("keep the time since when they conflict", async () => {
    const { commit, look } = newStories();
    commit("one", { "src/main.ts": "one\n" });
    await look("one");
    commit("two", { "src/main.ts": "two\n" });
    const { conflicts } = await look("two");
    commit("two", { "other.txt": "more\n" });
    expect((await look("two")).conflicts[0]?.since).toBe(conflicts[0]?.since);
  });
});

it("a change of the target that conflicts is found, and only with the story that touches it", async () => {
  const { commit, look } = newStories();
  commit("one", { "src/main.ts": "one\n" });
  commit("two", { "src/other.ts": "two\n" });
  commit("main", { "src/main.ts": "main\n" });
  expect(conflictTexts(await look("one"))).toEqual(["one main src/main.ts"]);
  expect(conflictTexts(await look("two"))).toEqual([]);
});

it("what a story has from the target is not held against another story", async () => {
  const { commit, look } = newStories();
  commit("one", { "src/main.ts": "one\n", "shared.txt": "one\n" });
  await look("one");
  commit("main", { "src/main.ts": "main\n" });
  commit("two", { "shared.txt": "two\n" });
  expect(conflictTexts(await look("two"))).toEqual(["one two shared.txt"]);
});

it("the record of a story that has ended is dropped", async () => {
  const { commit, look, stored } = newStories();
  commit("one", { "src/main.ts": "one\n" });
  await look("one");
  commit("two", { "src/main.ts": "two\n" });
  expect(conflictTexts(await look("two", false))).toEqual([]);
  expect(await stored()).toEqual(["two"]);
});

it("nothing is written when nothing has changed", async () => {
  const { commit, look, test } = newStories();
  commit("one", { "src/main.ts": "one\n" });
  await look("one");
  const before = test.read(".saga/conflicts/one.json");
  await look("one");
  expect(test.read(".saga/conflicts/one.json")).toBe(before);
});
