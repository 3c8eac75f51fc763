import { expect, it } from "vitest";
import { aStory, newProject } from "../../../test/support/project.ts";
import { until } from "../../../test/support/until.ts";
import { thisProcess } from "../../machine/processes/process-id.ts";
import { openStore } from "../file-store.ts";
import type { Run } from "../../story/state/run.ts";
import type { DayBudget } from "../../story/money/day-budget.ts";
import { reserveBudget, watchBudget, type BudgetContext } from "./watch-day-budget.ts";

async function newWork(day: number) {
  const project = newProject();
  project.write(".saga/config.toml", `[budget]\nday = ${day}\n`);
  for (const id of ["a", "b"]) project.write(`.saga/stories/${id}/story.json`, aStory(id));
  const store = openStore(project.path);
  const other = await store.startRun("b", { worker: thisProcess(), reservedUsd: 2 });
  // The id of a run starts with its millisecond.
  const startedMs = Date.now();
  await until(() => Date.now() > startedMs);
  const log = await store.startRun("a", { worker: thisProcess() });
  const warned: DayBudget[] = [];
  const context: BudgetContext = {
    store,
    settings: { budget: { day, epic: 0 } },
    now: Date.now,
    onBudget: (budget) => void warned.push(budget),
    record: {
      run: () => log.run,
      update: (change: Partial<Run>) => void log.update(change),
      warn: (message) => expect.fail(message),
    },
  };
  return { project, context, other, log, warned };
}

it("a run reserves its usual cost, and its limit is at most the rest of the budget", async () => {
  const { context, log } = await newWork(10);
  expect(await reserveBudget(context, 25)).toMatchObject({ isReserved: true, maxCostUsd: 10 });
  expect(log.run.reservedUsd).toBe(2);
  expect(await reserveBudget((await newWork(0)).context, 4)).toBeUndefined();
});

it("a run does not start when the rest is reserved or spent", async () => {
  const { context, other, log } = await newWork(2.2);
  expect(await reserveBudget(context, undefined)).toEqual({
    isReserved: false,
    reason:
      "Too little of this day's budget is left ($0.00 of $2.20 spent, $2.00 reserved for running stories).",
  });
  other.update({ costUsd: 2.2 });
  expect(await reserveBudget(context, undefined)).toEqual({
    isReserved: false,
    reason: "The budget of this day is spent ($2.20 of $2.20).",
  });
  expect(log.run.reservedUsd).toBeUndefined();
});

it("running work is warned once at 80 %, and drained at 100 %, also if others spent it", async () => {
  const { context, other, warned } = await newWork(10);
  const watch = watchBudget(context, 5);
  other.update({ costUsd: 8 });
  await until(() => warned.length > 0);
  expect([warned[0]?.spentUsd, watch.signal.aborted]).toEqual([8, false]);
  other.update({ costUsd: 10.5 });
  await until(() => watch.signal.aborted);
  expect(watch.reason()).toBe("The budget of this day is spent ($10.50 of $10.00).");
  watch.close();
  expect(warned).toHaveLength(1);
});

it("a budget that a person sets while the work runs counts at once", async () => {
  const { project, context, other } = await newWork(0);
  other.update({ costUsd: 8 });
  const watch = watchBudget(context, 5);
  project.write(".saga/config.toml", "[budget]\nday = 4\n");
  await until(() => watch.signal.aborted);
  watch.close();
  expect(watch.reason()).toBe("The budget of this day is spent ($8.00 of $4.00).");
});

it("the last known budget counts while the settings cannot be read", async () => {
  const { project, context } = await newWork(10);
  project.write(".saga/config.toml", "[budget\n");
  expect(await reserveBudget(context, undefined)).toMatchObject({ maxCostUsd: 10 });
});

it("running work is drained when a run of its epic asks for it", async () => {
  const { context } = await newWork(0);
  const reason = "The budget of the epic's run is spent ($5.00).";
  const watch = watchBudget({ ...context, drainRequest: () => reason }, 5);
  await until(() => watch.signal.aborted);
  watch.close();
  expect(watch.reason()).toBe(reason);
});
