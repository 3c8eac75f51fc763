import { expect, it } from "vitest";
import { defaults } from "../../../test/support/default-settings.ts";
import { aStory, anEpic, newProject } from "../../../test/support/project.ts";
import type { EpicEnd } from "../../epic/schedule.ts";
import { openStore } from "../../store/file-store.ts";
import type { Epic } from "../../story/definition/epic.ts";
import type { CommandContext } from "../program/command.ts";
import { newestRun, openEpicPullRequest } from "./epic-end.ts";

const epic = anEpic("shop", [{ id: "shop--a" }, { id: "shop--b" }]) as unknown as Epic;

it("an epic's completion is identified by the newest run of its stories", async () => {
  const project = newProject();
  const store = openStore(project.path);
  expect(await newestRun(store, epic)).toBeUndefined();
  let last = "";
  for (const id of ["shop--a", "shop--b", "shop--a"]) {
    project.write(`.saga/stories/${id}/story.json`, aStory(id));
    const log = await store.startRun(id);
    last = log.run.id > last ? log.run.id : last;
    log.close();
  }
  expect(await newestRun(store, epic)).toBe(last);
});

it("a pull request that cannot be opened is reported, and does not end the run", async () => {
  const project = newProject();
  const lines: string[] = [];
  const context = { io: { env: { PATH: process.env["PATH"] } } } as unknown as CommandContext;
  const end = { isDone: true } as EpicEnd;
  const run = { store: openStore(project.path), settings: defaults, epic, end };
  await openEpicPullRequest(context, run, (sentence) => void lines.push(sentence));
  expect(lines).toEqual([expect.stringContaining("Could not open the epic's pull request:")]);
});
