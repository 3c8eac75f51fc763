// The Fleet page, in a real browser.

import { expect, it } from "vitest";
import { PHONE, useBrowser } from "../support/browser.ts";
import { nothingYet } from "../support/page/fixture.ts";
import { fleet } from "../support/page/fleet.ts";

const open = useBrowser();

it("shows machines and who works on which story, live, and where each fact comes from", async () => {
  const { page, server, go } = await open();
  await go("/");
  await page.getByRole("link", { name: "Fleet" }).click();
  const machines = page.getByRole("region", { name: "Machines" });
  await machines.getByText("from the database").waitFor();
  const text = (name: string): Promise<string> =>
    machines.getByRole("article", { name }).innerText();
  expect(await text("build-1")).toMatch(
    /joined\s+1 of 2 slots used · \$4\.20\s+last heartbeat just now/,
  );
  expect(await text("build-2")).toMatch(/gpu\s+draining\s+0 of 3 slots used/);
  expect(await text("laptop")).toMatch(/silent\s+0 of 1 slot used\s+last heartbeat 4m ago/);

  const stories = page.getByRole("region", { name: "Stories" });
  await stories.getByText("owner and queue from the database, state from git").waitFor();
  const names = await stories
    .getByRole("article")
    .evaluateAll((all) => all.map((one) => one.getAttribute("aria-label")));
  expect(names).toEqual([
    "checkout--payment",
    "accounts--reset",
    "search--index",
    "accounts--sign-in",
    "checkout--refund",
  ]);
  const row = (name: string): Promise<string> => stories.getByRole("article", { name }).innerText();
  expect(await row("search--index")).toContain("discarded");
  expect(await row("accounts--sign-in")).toContain("passed its gate; people merge it");
  await stories.getByText("laptop is silent; another machine may take it").waitFor();

  const lanes = page.getByRole("region", { name: "Merging now" });
  expect(await lanes.innerText()).toMatch(/main\s+build-2/);

  const taken = fleet.stories.map((one) =>
    one.story === "accounts--reset" ? { ...one, machine: "build-1", isSilent: false } : one,
  );
  server.change({ kind: "fleet", id: "fleet", value: { ...fleet, stories: taken } });
  await stories
    .getByRole("article", { name: "accounts--reset" })
    .getByText("running on build-1")
    .waitFor();
  const problem = "The fleet's database cannot be reached.";
  server.change({ kind: "fleet", id: "fleet", value: { ...fleet, problem } });
  await page.getByRole("alert").getByText(problem).waitFor();
});

it("is offered on a phone, and only to a project in a fleet", async () => {
  const { page, server, go } = await open({
    entities: nothingYet(),
    viewport: PHONE,
    hasTouch: true,
  });
  await go("/");
  await page.getByRole("button", { name: "More" }).click();
  expect(await page.getByRole("menuitem", { name: "Fleet" }).count()).toBe(0);
  server.change({ kind: "fleet", id: "fleet", value: fleet });
  await page.getByRole("menuitem", { name: "Fleet" }).click();
  await page.getByRole("article", { name: "build-2" }).waitFor();
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  expect(width).toBeLessThanOrEqual(PHONE.width);
});
