import { expect, it } from "vitest";
import { aStory, newProject } from "../../../test/support/project.ts";
import { openStore } from "../file-store.ts";
import { readCosts } from "./read-costs.ts";

it("reads the costs of all runs, with those of the pool and those that were deleted", async () => {
  const project = newProject();
  const store = openStore(project.path);
  for (const id of ["a", "b"]) project.write(`.saga/stories/${id}/story.json`, aStory(id));
  const spend = async (story: string, costUsd: number): Promise<void> => {
    const log = await store.startRun(story, { costUsd });
    log.update({ endedAt: new Date().toISOString(), outcome: "done" });
    log.close();
  };
  for (const cost of [1, 2, 3]) await spend("a", cost);
  await spend("b", 4);
  await spend("auto-1", 5);
  await store.pruneRuns("a", 1);
  expect(await store.listRuns("a")).toHaveLength(1);
  const costs = readCosts(project.path, { epicOf: (story) => (story === "b" ? "e" : undefined) });
  const sorted = costs.toSorted((one, other) => one.costUsd - other.costUsd);
  expect(sorted.map(({ story, epic, costUsd }) => [story, epic, costUsd])).toEqual([
    ["a", undefined, 1],
    ["a", undefined, 2],
    ["a", undefined, 3],
    ["b", "e", 4],
    ["auto-1", undefined, 5],
  ]);
});

it("a broken record hides no other story", async () => {
  const project = newProject();
  project.write(".saga/stories/b/story.json", aStory("b"));
  const log = await openStore(project.path).startRun("b", { costUsd: 4 });
  log.close();
  project.write(".saga/runs/a/20261115T214800123Z-1a2b/run.json/x", "");
  expect(readCosts(project.path, {}).map(({ costUsd }) => costUsd)).toEqual([4]);
});
