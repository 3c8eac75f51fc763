// Scans every dialog and form for accessibility problems, on a phone, light and dark.

import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { CONTRAST, violationsOn } from "../support/axe.ts";
import { PHONE, useBrowser } from "../support/browser.ts";
import { visit } from "../support/chromium.ts";
import { aShop } from "../support/page/fixture.ts";

const open = useBrowser();

/** `open`: the accessible names to press, one after the other. */
const DIALOGS: readonly { path: string; open: readonly (string | RegExp)[] }[] = [
  { path: "/stories", open: ["New story"] },
  { path: "/stories", open: ["New epic"] },
  { path: "/epic/checkout", open: ["Edit…"] },
  { path: "/epic/accounts", open: ["Remove…"] },
  { path: "/story/checkout--payment", open: ["Answer…"] },
  { path: "/story/checkout--payment", open: ["More actions", "Edit…"] },
  { path: "/story/checkout--payment", open: ["More actions", "Add a task…"] },
  { path: "/story/checkout--payment", open: ["More actions", "Remove…"] },
  { path: "/story/accounts--sign-in", open: ["Accept…"] },
  { path: "/story/accounts--sign-in", open: ["Send back…"] },
  { path: "/story/accounts--profile", open: ["Discard…"] },
  { path: "/story/accounts--profile", open: ["More actions", "Run with options…"] },
  { path: "/story/checkout--cart", open: ["More actions", "Archive…"] },
  { path: "/pool", open: ["Add a task"] },
  { path: "/pool", open: ["Stop…"] },
  { path: "/pool", open: ["Answer…"] },
  { path: "/sessions", open: ["Stop…"] },
];

it(
  "every dialog is accessible and fits a phone, light and dark",
  { timeout: 120_000 },
  async () => {
    const { page, go } = await open({ viewport: PHONE, hasTouch: true });
    await go("/");
    for (const { path, open: names } of DIALOGS) {
      await visit(page, path);
      for (const name of names) await press(page, name);
      await expectAccessible(page, "dialog[open]", `${path} ${names.join(" ")}`);
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
    }
  },
);

it("the dialogs that start an epic and the pool are accessible", async () => {
  const shop = aShop();
  const pools = Object.entries(shop.pool).map(([list, card]) => [
    list,
    { ...card, daemons: [], workers: [] },
  ]);
  const entities = { ...shop, pool: Object.fromEntries(pools) as typeof shop.pool };
  const { page, go } = await open({ entities, viewport: PHONE, hasTouch: true });
  await go("/pool");
  await press(page, "Start the pool…");
  await expectAccessible(page, "dialog[open]", "start the pool");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").fill("Run Accounts");
  await page.getByRole("option", { name: "Run Accounts" }).first().click();
  await page.getByRole("dialog", { name: "Run Accounts" }).waitFor();
  await expectAccessible(page, "dialog[open]", "run an epic");
});

it("the form of a comment and the shortcuts are accessible", async () => {
  const { page, go } = await open({ viewport: PHONE, hasTouch: true });
  await go("/story/accounts--sign-in/diff");
  await page.locator(".diff-gutter-insert", { hasText: /^2$/ }).first().click();
  await page.getByLabel("Comment on line 2").fill("Import it lazily.");
  await expectAccessible(page, "main", "a comment that is written");
  await page.keyboard.press("Control+Enter");
  await page.getByRole("link", { name: /Finish the review/ }).waitFor();
  await expectAccessible(page, "main", "a comment that is saved");
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
  await expectAccessible(page, "dialog[open]", "shortcuts");
});

async function press(page: Page, name: string | RegExp): Promise<void> {
  const isExact = typeof name === "string";
  const button = page.getByRole("button", { name, exact: isExact });
  const item = page.getByRole("menuitem", { name, exact: isExact });
  await button.or(item).first().click();
}

async function expectAccessible(page: Page, part: string, name: string): Promise<void> {
  await page.locator(part).first().waitFor();
  await page.emulateMedia({ colorScheme: "light" });
  expect(await violationsOn(page, (scan) => scan.include(part)), `${name}, light`).toEqual([]);
  await page.emulateMedia({ colorScheme: "dark" });
  const dark = await violationsOn(page, (scan) => scan.include(part).withRules(CONTRAST));
  expect(dark, `${name}, dark`).toEqual([]);
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  expect(width, name).toBeLessThanOrEqual(PHONE.width);
}
