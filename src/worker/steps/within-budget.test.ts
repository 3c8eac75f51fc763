import { expect, it } from "vitest";
import { aStory, newProject } from "../../../test/support/project.ts";
import { thisProcess } from "../../machine/processes/process-id.ts";
import { openStore } from "../../store/file-store.ts";
import type { Run } from "../../story/state/run.ts";
import type { Work } from "../context.ts";
import { withinBudget } from "./within-budget.ts";

async function newWork(spentUsd: number) {
  const project = newProject();
  project.write(".saga/config.toml", "[budget]\nday = 10\n");
  project.write(".saga/stories/a/story.json", aStory("a"));
  const store = openStore(project.path);
  const earlier = await store.startRun("a", { costUsd: spentUsd, worker: thisProcess() });
  earlier.update({ endedAt: new Date().toISOString() });
  const log = await store.startRun("a", { worker: thisProcess() });
  const work = {
    request: { storyId: "a", maxCostUsd: 25 },
    context: { store, settings: { budget: { day: 10, epic: 0 } }, now: Date.now },
    record: {
      run: () => log.run,
      update: (change: Partial<Run>) => void log.update(change),
      warn: (message: string) => expect.fail(message),
    },
  } as unknown as Work;
  return { work, log };
}

it("a story may spend the rest of the day's budget", async () => {
  const { work, log } = await newWork(4);
  const limited = await withinBudget(work, {
    act: async ({ request }) => request,
    refused: (end) => expect.fail(end.reason),
  });
  expect(limited).toMatchObject({ maxCostUsd: 6, costEnd: { limit: "budget" } });
  expect(log.run.reservedUsd).toBe(2);
});

it("a story that the budget does not allow stays as it was", async () => {
  const { work, log } = await newWork(10);
  const end = await withinBudget<unknown>(work, {
    act: async () => expect.fail("It was started."),
    refused: (refusal) => refusal,
  });
  expect(end).toMatchObject({ outcome: "limit", limit: "budget" });
  expect(log.run).toMatchObject({ isAside: true });
});
