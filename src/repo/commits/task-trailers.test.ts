import { describe, expect, it } from "vitest";
import { newRepository, prepare, STORY } from "../../../test/support/repository.ts";
import { committedTasks, commitTask } from "./commits.ts";
import { knownTasks, parseCommit } from "./task-trailers.ts";

const commitText = (message: string, parents = ["a".repeat(40)]): string =>
  [
    `tree ${"b".repeat(40)}`,
    ...parents.map((parent) => `parent ${parent}`),
    "author A <a@b> 1 +0000",
    "committer A <a@b> 1 +0000",
    "",
    message,
  ].join("\n");

describe("a commit is read without git", () => {
  it("if it has one parent and ends with Saga's own trailers", () => {
    const text = commitText("Do it\n\nSaga-Story: one\nSaga-Task: form\n");
    expect(parseCommit(text)).toEqual({
      parent: "a".repeat(40),
      stories: ["one"],
      tasks: ["form"],
    });
    const part = commitText("Do it (a part)\n\nSaga-Story: one\nSaga-Task-Part: form\n");
    expect(parseCommit(part)).toMatchObject({ stories: ["one"], tasks: [] });
  });

  it.each([
    ["no trailers", commitText("Do it\n")],
    ["other trailers too", commitText("Do it\n\nSaga-Task: form\nSigned-off-by: A <a@b>\n")],
    ["text below", commitText("Do it\n\nSaga-Task: form\n\nAnd more.\n")],
    ["no subject", commitText("\n\nSaga-Task: form\n")],
    ["no end of line", commitText("Do it\n\nSaga-Story: one\nSaga-Task: form")],
    ["two parents", commitText("Do it\n\nSaga-Task: form\n", ["a".repeat(40), "c".repeat(40)])],
    ["no parent", commitText("Do it\n\nSaga-Task: form\n", [])],
  ])("and by git if it has %s", (_, text) => {
    expect(parseCommit(text)).toBeUndefined();
  });
});

it("the tasks of a branch are the same with and without git, also after its history was rewritten", async () => {
  const test = newRepository();
  const { folder } = await prepare(test);
  const git = (await test.open()).git.at(folder);
  const from = test.git("rev-parse", "main");
  const commit = (id: string, storyId = STORY): Promise<unknown> =>
    commitTask({ git, storyId, task: { id, subject: `Do ${id}` }, exclude: [] });
  const read = async (): Promise<string[]> => [...(await committedTasks(git, from, STORY))];
  expect(await read()).toEqual([]);
  await commit("form");
  expect(await read()).toEqual(["form"]);
  await commit("list");
  const tip = test.git("rev-parse", `story/${STORY}`);
  expect([...((await knownTasks(git, { storyId: STORY, from, tip })) ?? [])]).toEqual([
    "form",
    "list",
  ]);
  expect(await read()).toEqual(["form", "list"]);
  test.gitIn(folder, "commit", "--quiet", "--allow-empty", "-m", "Mine");
  expect(await read()).toEqual(["form", "list"]);
  test.gitIn(folder, "reset", "--quiet", "--hard", from);
  expect(await read()).toEqual([]);
  test.gitIn(
    folder,
    "commit",
    "--quiet",
    "--allow-empty",
    "-m",
    "x\n\nSaga-Story: other\nSaga-Task: y",
  );
  expect(await read()).toEqual([]);
});
