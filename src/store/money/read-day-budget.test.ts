import { expect, it } from "vitest";
import { aStory, newProject } from "../../../test/support/project.ts";
import { thisProcess } from "../../machine/processes/process-id.ts";
import { openStore } from "../file-store.ts";
import { readDayBudget, reserveToday } from "./read-day-budget.ts";

it("counts runs of today, and reservations of living workers only", async () => {
  const project = newProject();
  for (const id of ["a", "b"]) project.write(`.saga/stories/${id}/story.json`, aStory(id));
  const store = openStore(project.path);
  const worker = thisProcess();
  const dead = { ...worker, pid: 2 ** 22 - 1, startTime: "1" };
  for (const [story, run] of [
    ["a", { worker: dead, costUsd: 1, reservedUsd: 5 }],
    ["b", { worker, costUsd: 2, reservedUsd: 5 }],
  ] as const) {
    (await store.startRun(story, run)).close();
  }
  const query = { budgetUsd: 10, nowMs: Date.now() };
  expect(readDayBudget(project.path, query)).toEqual({
    budgetUsd: 10,
    spentUsd: 3,
    reservedUsd: 3,
    running: 1,
  });
  const reserved = reserveToday(project.path, { ...query, maxCostUsd: undefined });
  expect(reserved).toEqual({ isReserved: true, reservedUsd: 2, maxCostUsd: 7 });
  const tooMuch = reserveToday(project.path, { ...query, budgetUsd: 7, maxCostUsd: 1.5 });
  expect(tooMuch.isReserved).toBe(false);
});
