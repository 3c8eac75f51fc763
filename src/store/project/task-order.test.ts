import { join } from "node:path";
import { expect, it } from "vitest";
import { aStory, aTask, newProject } from "../../../test/support/project.ts";
import { openStore } from "../file-store.ts";
import { layoutOf } from "./layout.ts";
import { readHookStory } from "../hook/hook-story.ts";

it("every reader lists tasks with blockers first, otherwise as written", async () => {
  const project = newProject();
  const worktree = ".saga/worktrees/s";
  const folder = `${worktree}/.saga/stories/s`;
  project.write(`${worktree}/.git`, "gitdir: elsewhere\n");
  project.write(`${folder}/story.json`, aStory("s"));
  project.write(`${folder}/config.json`, aTask("config", { order: 2 }));
  project.write(`${folder}/ci.json`, aTask("ci", { order: 3, blockedBy: ["fix"] }));
  project.write(`${folder}/fix.json`, aTask("fix", { order: 4, blockedBy: ["config"] }));
  project.write(`${folder}/zebra.json`, aTask("zebra", { order: 1 }));
  const store = openStore(project.path);
  await store.addTask("s", aTask("ant"));

  const expected = ["zebra", "config", "fix", "ci", "ant"];
  const idsOf = (tasks: readonly { id: string }[] = []): string[] => tasks.map(({ id }) => id);
  expect(idsOf((await store.readStory("s")).tasks)).toEqual(expected);
  expect(idsOf((await store.viewStory("s")).record.tasks)).toEqual(expected);
  const [surveyed] = await store.survey.stories(["s"]);
  expect(idsOf(surveyed?.record?.tasks)).toEqual(expected);
  const view = readHookStory(
    layoutOf(project.path),
    { id: "s", path: join(project.path, worktree) },
    Date.now(),
  );
  expect(idsOf(view?.story.tasks)).toEqual(expected);
});
