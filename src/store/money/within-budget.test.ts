import { expect, it } from "vitest";
import { aStory, newProject } from "../../../test/support/project.ts";
import { thisProcess } from "../../machine/processes/process-id.ts";
import type { Run } from "../../story/state/run.ts";
import { openStore } from "../file-store.ts";
import { withinBudget } from "./within-budget.ts";

async function newWork(spentUsd: number) {
  const project = newProject();
  project.write(".saga/config.toml", "[budget]\nday = 10\n");
  project.write(".saga/stories/a/story.json", aStory("a"));
  const store = openStore(project.path);
  const earlier = await store.startRun("a", { costUsd: spentUsd, worker: thisProcess() });
  earlier.update({ endedAt: new Date().toISOString() });
  const log = await store.startRun("a", { worker: thisProcess() });
  const context = {
    store,
    settings: { budget: { day: 10, epic: 0 } },
    now: Date.now,
    record: {
      run: () => log.run,
      update: (change: Partial<Run>) => void log.update(change),
      warn: (message: string) => expect.fail(message),
    },
  };
  return { context, log };
}

const STORY = { kind: "story", maxCostUsd: 25 } as const;

it("work may spend the rest of the day's budget, and is watched meanwhile", async () => {
  const { context, log } = await newWork(4);
  const [limit, signal] = await withinBudget(context, {
    ...STORY,
    act: async (given, budget) => [given, budget.signal] as const,
    refused: (reason) => expect.fail(reason),
  });
  expect(limit).toMatchObject({ maxCostUsd: 6 });
  expect(limit.sharedReason).toContain("The budget of this day is spent");
  expect(signal.aborted).toBe(false);
  expect(log.run.reservedUsd).toBe(2);
});

it("the rest of an epic's budget is a limit too", async () => {
  const { context } = await newWork(0);
  const limit = await withinBudget(context, {
    ...STORY,
    epicBudgetUsd: 3,
    act: async (given) => given,
    refused: (reason) => expect.fail(reason),
  });
  expect(limit).toMatchObject({ maxCostUsd: 3 });
});

it("work that the budget does not allow is not started", async () => {
  const { context } = await newWork(10);
  const reason = await withinBudget(context, {
    ...STORY,
    act: async () => expect.fail("It was started."),
    refused: (why) => why,
  });
  expect(reason).toBe("The budget of this day is spent ($10.00 of $10.00).");
});
