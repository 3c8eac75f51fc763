import { expect, it } from "vitest";
import { defaults } from "../../../test/support/default-settings.ts";
import { aStory, newProject } from "../../../test/support/project.ts";
import { thisProcess } from "../../machine/processes/process-id.ts";
import { openStore } from "../../store/file-store.ts";
import { dayRefusal, requireBudget, usualStoryCost } from "./budget.ts";

const settings = (day: number) => ({ ...defaults, budget: { day, epic: 0 } });

async function newSpent(...costs: number[]) {
  const project = newProject();
  project.write(".saga/stories/a/story.json", aStory("a"));
  const store = openStore(project.path);
  for (const costUsd of costs) {
    const log = await store.startRun("a", { costUsd, worker: thisProcess() });
    log.update({ endedAt: new Date().toISOString() });
    log.close();
  }
  return project.path;
}

it("a story starts while the day's budget lasts", async () => {
  const project = await newSpent(3, 4);
  expect(dayRefusal(project, settings(0))).toBeUndefined();
  expect(dayRefusal(project, settings(8))).toBeUndefined();
  expect(dayRefusal(project, settings(7))).toBe(
    "The budget of this day is spent ($7.00 of $7.00).",
  );
  expect(() => requireBudget(settings(7), project, "b")).toThrow(
    "Cannot start b: the budget of this day is spent ($7.00 of $7.00).",
  );
});

it("what a story usually costs is the median of this project's runs", async () => {
  expect(usualStoryCost(await newSpent(1, 9, 3), settings(0))).toBe(3);
  expect(usualStoryCost(await newSpent(1, 9), settings(0))).toBe(0);
});
