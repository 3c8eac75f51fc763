import { expect, it } from "vitest";
import { readyStories } from "../../test/support/ready-stories.ts";
import type { TestRepository } from "../../test/support/repository.ts";
import { openStore } from "../store/file-store.ts";

const CLASH = [
  { id: "one", files: { "clash-1-a.txt": "a\n" } },
  { id: "two", files: { "clash-1-b.txt": "b\n" } },
];

it("a story that fails together with another goes back to its agent, on top of the target, with the output", async () => {
  const { test, mergeAll } = await readyStories(CLASH);
  expect(await mergeAll(["one"])).toMatchObject([{ kind: "merged" }]);
  const [refused] = await mergeAll(["two"]);
  expect(refused).toMatchObject({ kind: "refused", exitCode: 1, json: { taskId: "fix-landing" } });
  const folder = `${test.path}/.saga/worktrees/two`;
  // Its agent can see what landed before.
  expect(test.gitIn(folder, "ls-files", "clash-*").split("\n")).toHaveLength(2);
  const { tasks } = await openStore(test.path).readStory("two");
  const task = tasks.find(({ id }) => id === "fix-landing");
  expect(task).toMatchObject({ status: "pending", checks: ["sh check.sh"] });
  expect(task?.description).toContain("The check `sh check.sh` failed (exit 1):\n1");
  expect((await test.saga("status")).stdout).toContain("two");
  const shown = await test.saga("show", "two", "--json");
  expect(shown.json()).toMatchObject({ state: "sent-back" });
  const failed = { command: "sh check.sh", isPassed: false, tail: "1" };
  expect(shown.json()["receipts"]).toContainEqual(expect.objectContaining(failed));
  expect((await test.saga("show", "two")).stdout).toContain("Failed: sh check.sh (exit 1)\n  1\n");
});

it("a person is not replaced where the agent may not fix anything", async () => {
  const { test, mergeAll } = await readyStories(CLASH, { config: "[gate]\nfix_rounds = 0\n" });
  await mergeAll(["one"]);
  const tip = test.git("rev-parse", "story/two");
  const [refused] = await mergeAll(["two"]);
  expect(refused).toMatchObject({ kind: "refused" });
  expect(refused?.json["taskId"]).toBeUndefined();
  expect(test.git("rev-parse", "story/two")).toBe(tip);
  await expectShown(test, "two");
});

it("a story that is not to blame, because its target itself fails, stays as it is and shows that", async () => {
  const { test, mergeAll } = await readyStories(CLASH);
  test.write("clash-1-a.txt", "");
  test.write("clash-1-z.txt", "");
  test.git("add", "clash-1-a.txt", "clash-1-z.txt");
  test.git("commit", "--quiet", "--message=broken");
  const [refused] = await mergeAll(["two"]);
  expect(refused).toMatchObject({ kind: "refused" });
  await expectShown(test, "two");
  expect((await test.saga("show", "two")).stdout).toContain("Not merged: main itself fails");
});

/** It is still in review, with the reason and the output. */
async function expectShown(test: TestRepository, id: string): Promise<void> {
  const { stdout } = await test.saga("show", id);
  expect(stdout).toMatch(/^◆ .* {2}review$/m);
  expect(stdout).toContain("Failed: sh check.sh (exit 1)\n  1\n");
  expect(stdout).toMatch(/failed +Not merged: /);
}
