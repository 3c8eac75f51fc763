import { join } from "node:path";
import { expect, it } from "vitest";
import { aTask } from "../../../test/support/project.ts";
import { STORY } from "../../../test/support/repository.ts";
import { withWork } from "../../../test/support/story-with-work.ts";
import { openStore } from "../../store/file-store.ts";

it("the worktree of a story that is not merged is kept, with the word that every view has for it", async () => {
  const test = await withWork();
  const worktree = join(test.path, ".saga/worktrees", STORY);
  const folder = `.saga/worktrees/${STORY}/.saga/stories/${STORY}`;
  test.write(`${folder}/form.json`, aTask("form", { status: "completed" }));
  test.write(`${folder}/resolve-conflict.json`, aTask("resolve-conflict"));
  const ended = { endedAt: new Date().toISOString(), outcome: "done" } as const;
  (await openStore(test.path).startRun(STORY, ended)).close();
  expect((await test.saga("list")).stdout).toMatch(new RegExp(`${STORY} +conflict`));
  expect((await test.saga("clean")).stdout).toContain(
    `kept  ${worktree}: its story is not merged (conflict).\n`,
  );
});
