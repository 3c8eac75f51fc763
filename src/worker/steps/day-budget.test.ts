import { expect, it } from "vitest";
import { aStory, newProject } from "../../../test/support/project.ts";
import { until } from "../../../test/support/until.ts";
import { thisProcess } from "../../machine/processes/process-id.ts";
import { openStore } from "../../store/file-store.ts";
import type { Run } from "../../story/state/run.ts";
import type { DayBudget } from "../../story/money/day-budget.ts";
import type { Work } from "../context.ts";
import { reserveBudget, watchBudget } from "./day-budget.ts";

async function newWork(day: number, maxCostUsd?: number) {
  const project = newProject();
  for (const id of ["a", "b"]) project.write(`.saga/stories/${id}/story.json`, aStory(id));
  const store = openStore(project.path);
  const other = await store.startRun("b", { worker: thisProcess(), reservedUsd: 2 });
  // The id of a run starts with its millisecond.
  const startedMs = Date.now();
  await until(() => Date.now() > startedMs);
  const log = await store.startRun("a", { worker: thisProcess() });
  const told: DayBudget[] = [];
  const work = {
    request: { storyId: "a", maxCostUsd },
    context: {
      store,
      settings: { budget: { day, epic: 0 } },
      now: Date.now,
      onBudget: (budget: DayBudget) => void told.push(budget),
    },
    record: {
      run: () => log.run,
      update: (change: Partial<Run>) => void log.update(change),
      warn: (message: string) => expect.fail(message),
    },
  } as unknown as Work;
  return { work, other, log, told };
}

it("a run reserves its usual cost, and its limit is at most the rest of the budget", async () => {
  const { work, log } = await newWork(10, 25);
  expect(reserveBudget(work)).toEqual({ maxCostUsd: 10 });
  expect(log.run.reservedUsd).toBe(2);
  expect(reserveBudget((await newWork(10, 4)).work)).toEqual({ maxCostUsd: 4 });
  expect(reserveBudget((await newWork(0, 4)).work)).toEqual({ maxCostUsd: 4 });
});

it("a run ends at its limit when the rest is reserved", async () => {
  const { work, log } = await newWork(2.2);
  const other = await newWork(2.2);
  other.other.update({ costUsd: 2.2 });
  expect(reserveBudget(other.work)).toMatchObject({
    refusal: {
      outcome: "limit",
      limit: "cost",
      reason: "The budget of this day is spent ($2.20 of $2.20).",
    },
  });
  expect(reserveBudget(work)).toMatchObject({
    refusal: {
      reason:
        "The rest of this day's budget is reserved for running stories ($0.00 spent and $2.00 reserved of $2.20).",
    },
  });
  expect(log.run.reservedUsd).toBeUndefined();
});

it("a running story is told once at 80 %, and stopped at 100 %, also if others spent it", async () => {
  const { work, other, told } = await newWork(10);
  const watch = watchBudget(work, 5);
  other.update({ costUsd: 8 });
  await until(() => told.length > 0);
  expect([told[0]?.spentUsd, watch.signal.aborted]).toEqual([8, false]);
  other.update({ costUsd: 10.5 });
  await until(() => watch.signal.aborted);
  expect(watch.reason()).toBe("The budget of this day is spent ($10.50 of $10.00).");
  watch.end();
  expect(told).toHaveLength(1);
});
