import { dirname } from "node:path";
import { expect, it } from "vitest";
import { connectToGithub } from "../../test/support/on-github.ts";
import { readyStories, separate } from "../../test/support/ready-stories.ts";

it("on GitHub each pull request ends as merged in every style of history, and its branch is deleted", async () => {
  const stories = separate(4);
  const { test, mergeAll } = await readyStories(stories);
  const { github, bare, env } = await connectToGithub(test, dirname(test.path));
  const there = (...words: string[]): string => test.git("-C", bare, ...words);
  const start = test.git("rev-parse", "main");
  for (const { id } of stories) {
    const all = { PATH: process.env["PATH"], HOME: test.path, ...env };
    const { exitCode, stderr } = await test.sagaWithEnv(all, "push", id);
    expect(exitCode, stderr).toBe(0);
  }
  // A note that is committed with the merge: the branch at GitHub is one commit behind.
  await test.saga("note", "story-1", "Looks good.");
  for (const [history, ids] of [
    ["tasks", ["story-1"]],
    ["merge", ["story-2"]],
    ["squash", ["story-3", "story-4"]],
  ] as const) {
    const open = github.pulls.filter(({ state }) => state === "open").map(({ head }) => head);
    expect(open).toEqual(expect.arrayContaining(ids.map((id) => `story/${id}`)));
    test.write(".saga/config.toml", `[delivery]\nhistory = "${history}"\n`);
    const merged = await mergeAll(ids, env);
    expect(merged.map(({ id, kind }) => [id, kind])).toEqual(ids.map((id) => [id, "merged"]));
    for (const id of ids) {
      const pull = github.pulls.find(({ head }) => head === `story/${id}`);
      expect(pull, history).toMatchObject({ merged_at: expect.any(String) as string });
      expect(there("branch", "--list", `story/${id}`), history).toBe("");
      expect(test.git("branch", "--all", "--list", `*story/${id}`), history).toBe("");
    }
  }
  // One line for each story, whether its target had moved or not.
  const log = there("log", "--first-parent", "--format=%s", `${start}..main`).split("\n");
  expect(log.toSorted()).toEqual(stories.map(({ id }) => `Merge story/${id} into main`));
});
