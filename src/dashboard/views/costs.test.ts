import { expect, it } from "vitest";
import { STORY } from "../../../test/support/repository.ts";
import { askDashboard, withWork } from "../../../test/support/story-with-work.ts";
import { openStore } from "../../store/file-store.ts";
import type { Costs, SearchAnswer } from "../protocol/details.ts";

it("sums up costs by day, epic, story and model, with the day's budget, and finds texts", async () => {
  const test = await withWork();
  test.write(".saga/config.toml", "[budget]\nday = 20\n");
  const log = await openStore(test.path).startRun(STORY, { model: "opus" });
  log.update({ endedAt: new Date().toISOString(), outcome: "done", costUsd: 2 });
  log.close();
  const { get } = await askDashboard(test);
  const costs = await get<Costs>("/api/costs?days=7");
  expect(costs).toMatchObject({
    by: {
      day: [{ costUsd: 2, runs: 1 }],
      story: [{ name: STORY, costUsd: 2 }],
      model: [{ name: "opus", costUsd: 2 }],
    },
    total: { costUsd: 2, runs: 1 },
    today: { budgetUsd: 20, spentUsd: 2, reservedUsd: 0 },
    epicBudgetUsd: 0,
  });
  const { hits } = await get<SearchAnswer>("/api/search?q=How%20to%20do%20form");
  expect(hits).toMatchObject([{ kind: "task", story: STORY, task: "form" }]);
});
