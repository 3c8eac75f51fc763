// The Landing page, and conflicts on Home and on an epic's page, in a real browser.

import { expect, it } from "vitest";
import { PHONE, useBrowser } from "../support/browser.ts";
import { aShop, nothingYet } from "../support/page/fixture.ts";
import { mainLane } from "../support/page/landing.ts";

const open = useBrowser();
const LANE = mainLane.id;

it("shows what lands and what waits, in its order, and the output of the check as it grows", async () => {
  const { page, server, go } = await open();
  await go("/");
  await page.keyboard.press("g");
  await page.keyboard.press("l");
  const lane = page.getByRole("region", { name: "main on GitHub (acorn/bookshop)" });
  await lane.getByText("Checking 2 changes together").waitFor();
  const groups = lane.getByRole("region");
  expect(
    await groups.evaluateAll((all) => all.map((one) => one.getAttribute("aria-label"))),
  ).toEqual(["Landing now", "Next batch", "On hold"]);
  const names = await lane
    .getByRole("article")
    .evaluateAll((all) => all.map((one) => one.getAttribute("aria-label")));
  expect(names).toEqual(["auto-1/14", "auto-2/15", "accounts--sign-in", "accounts"]);
  expect(await lane.getByRole("article").nth(2).innerText()).toMatch(
    /Sign in with mail and password\s+next to land · since 48s ago\s+Conflicts with Reset a forgotten password\s+in about 4m/,
  );

  const output = lane.getByRole("log", { name: "Output of the check" });
  await output.getByText("✓ src/accounts/hash.test.ts (6 tests)").waitFor();
  expect(await output.textContent()).not.toContain("[32m");
  server.output(LANE, "a line that came later\n");
  await output.getByText("a line that came later").waitFor();
  server.output(LANE, "the next check\n", true);
  await output.getByText("the next check").waitFor();
  expect(await output.textContent()).toBe("the next check\n");
  const followed = server.received.filter(({ type }) => type === "follow-output");
  expect(followed).toEqual([{ type: "follow-output", lane: LANE }]);

  await page.keyboard.press("j");
  await page.keyboard.press("j");
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Sort imports");

  await page.keyboard.press("g");
  await page.keyboard.press("h");
  await expect.poll(() => server.received.at(-1)).toEqual({ type: "leave-output", lane: LANE });
});

it("holds, releases, drops and continues with what the command line does", async () => {
  const { page, server, go } = await open();
  await go("/landing");
  await page.getByRole("button", { name: "Hold accounts--sign-in" }).click();
  await page.getByText("queue-hold is done.").waitFor();
  await page.getByRole("button", { name: "Release accounts" }).click();
  await page.getByText("queue-release is done.").waitFor();
  await page.getByRole("button", { name: "Drop accounts--sign-in…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("Its work stays as it is").waitFor();
  await dialog.getByRole("button", { name: "Drop", exact: true }).click();
  await page.getByText("queue-drop is done.").waitFor();

  // The lander is gone.
  const { now: _, ...idle } = mainLane;
  server.change({ kind: "lanes", id: LANE, value: { ...idle, hasLander: false } });
  await page.getByRole("button", { name: "Merge the queue" }).click();
  await page.getByText("queue-run is done.").waitFor();
  expect(server.actions).toEqual([
    { act: "queue-hold", entry: "accounts--sign-in" },
    { act: "queue-release", entry: "accounts" },
    { act: "queue-drop", entry: "accounts--sign-in" },
    { act: "queue-run" },
  ]);
});

it("shows what was merged, what left a batch, and the checks that were saved", async () => {
  const { page, go } = await open();
  await go("/landing");
  await page.getByText("5 checks run, 9 saved by merging together").waitFor();
  const older = page.getByText("Tables for people and sessions");
  expect(await older.isVisible()).toBe(false);
  await page.getByText("1 batch before").click();
  await older.waitFor();
  await page.getByText("failed the checks").waitFor();
  await page.getByText("Flaky check:").waitFor();
});

it("explains itself while nothing waits, and fills as soon as something does", async () => {
  const { page, server, go } = await open({ entities: nothingYet() });
  await go("/landing");
  await page.getByText("Nothing waits to be merged.").waitFor();
  server.change({ kind: "lanes", id: LANE, value: { ...mainLane, target: "origin/main" } });
  await page.getByRole("region", { name: "origin/main" }).waitFor();
  expect(await page.getByText("Nothing waits to be merged.").count()).toBe(0);
});

it("lists conflicts on Home until they are gone, and as a matrix on the epic's page", async () => {
  const { page, server, go } = await open();
  await go("/");
  const list = page.getByRole("region", { name: "Conflicts ahead" });
  const pair = list.getByRole("article", { name: "checkout--payment and checkout--prices" });
  expect(await pair.innerText()).toMatch(
    /Pay by card and Prices with tax by country\s+src\/order.ts, src\/prices\/total.ts\s+4m ago/,
  );
  const id = "checkout--payment story checkout--prices";
  server.change({ kind: "conflicts", id, value: null });
  await pair.waitFor({ state: "detached" });

  server.change({ kind: "conflicts", id, value: aShop().conflicts[id] ?? null });
  await go("/epic/checkout");
  const matrix = page.getByRole("table", { name: "Conflicting files of each pair" });
  const row = matrix.getByRole("row", { name: /^Pay by card/ });
  expect(await row.getByRole("cell").allTextContents()).toEqual([
    "order.ts +1",
    "",
    "mail.ts",
    "None",
  ]);
  expect(await matrix.getByRole("columnheader").allTextContents()).toEqual([
    "Prices with tax by country",
    "Pay by card",
    "Reset a forgotten password",
    "main",
  ]);

  await go("/story/checkout--prices");
  const note = page.getByRole("region", { name: "Conflicts ahead" });
  const lines = note.getByRole("listitem");
  await lines.first().waitFor();
  expect(await lines.allTextContents()).toEqual([
    "Merged now, it would conflict with Pay by card in src/order.ts, src/prices/total.ts." +
      "You need not act while they run. Then merge the more urgent one first (saga merge checkout--payment or saga merge checkout--prices); the agent of the other gets the conflict as a task.",
    "Merged now, it would conflict with main, its target, in package.json." +
      "You need not act while it runs. Then saga merge checkout--prices gives the conflict to its agent as a task.",
  ]);
  await lines.getByRole("link", { name: "Pay by card" }).click();
  await note.getByText("Reset a forgotten password").waitFor();
});

it("shows conflicts of an epic as a list on a phone", async () => {
  const { page, go } = await open({ viewport: PHONE, hasTouch: true });
  await go("/epic/checkout");
  await page.getByRole("article", { name: "checkout--prices and main" }).waitFor();
  expect(await page.getByRole("table").isVisible()).toBe(false);
});
