// A real pool on the page: shown while it works, stopped and drained.

import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { useChromium } from "../support/browser.ts";
import { aDeadCard, forgeClaim } from "../support/claims.ts";
import { startTestDashboard } from "../support/dashboard.ts";
import { gateAt, newPoolStage, type PoolStage } from "../support/pool-stage.ts";
import { root } from "../support/programs.ts";

const newPage = useChromium();

it("shows the pool's worker and its task; stops the pool, and drains the next one", async () => {
  const { agent, letGo } = gateAt("1");
  const stage = await newPoolStage({ agent });
  stage.addTask("1");
  stage.addTask("2", { blockedBy: ["1"] });
  const page = await openPoolPage(stage);
  const workers = page.getByRole("region", { name: "Workers" });

  const first = stage.auto("--workers", "1", "--json");
  await workers.getByRole("listitem").filter({ hasText: "auto-1" }).getByText("Do 1").waitFor();
  await page.getByRole("region", { name: "Working" }).getByText("Do 1").waitFor();
  await page.getByRole("button", { name: "Stop…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Stop the pool" }).click();
  await page.getByText("Stopped the pool.").waitFor();
  expect(JSON.parse((await first.ended).stdout)).toMatchObject({ ended: "stopped" });
  await page.getByRole("region", { name: "Ready" }).getByText("Do 1").waitFor();

  const second = stage.auto("--workers", "1", "--json");
  await workers.getByText("Do 1").waitFor();
  await page.getByRole("button", { name: "Drain" }).click();
  await page.getByText("Draining: no new tasks will start").waitFor();
  letGo();
  expect(JSON.parse((await second.ended).stdout)).toMatchObject({
    ended: "drained",
    completed: ["1"],
  });
  await page.getByRole("region", { name: "Completed" }).getByText("Do 1").waitFor();
  // The ended pool is still shown with its reason, but without buttons.
  await page.getByText("ended, started").waitFor();
  expect(await page.getByRole("button", { name: /^(?:Drain|Stop…)$/ }).count()).toBe(0);
  expect(stage.tasks()).toEqual({ "1": "completed", "2": "pending" });
});

it("shows abandoned tasks in their own group and failed ones as needing you, each with its reason", async () => {
  const stage = await newPoolStage();
  stage.addTask("1", { status: "in_progress", owner: "auto-2" });
  forgeClaim(stage.list, "1", 1, aDeadCard({ owner: "auto-2" }));
  const held = { kind: "parked", why: "It has failed 3 times.", at: new Date().toISOString() };
  stage.addTask("2", { metadata: { saga: { attempts: 3, held } } });
  const page = await openPoolPage(stage);
  await page.getByRole("region", { name: "Needs you" }).getByText(held.why).waitFor();
  const abandoned = page.getByRole("region", { name: "Abandoned" });
  await abandoned.getByText("auto-2 has died. The pool will take the task back.").waitFor();
  await abandoned.getByRole("button", { name: "Release…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Release" }).click();
  await page.getByRole("region", { name: "Ready" }).getByText("Do 1").waitFor();
  await expect.poll(() => abandoned.count()).toBe(0);
});

async function openPoolPage(stage: PoolStage): Promise<Page> {
  const pageFolder = join(root, "dist/dashboard");
  const { port, key } = await startTestDashboard(stage, { pageFolder, env: stage.env });
  const page = await newPage();
  await page.goto(`http://127.0.0.1:${port}/?key=${key}`);
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.goto(`http://127.0.0.1:${port}/pool`);
  return page;
}
