// Scans every dialog and form for accessibility problems, on a phone, light and dark.

import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { CONTRAST, violationsOn } from "../support/axe.ts";
import { PHONE, useBrowser } from "../support/browser.ts";
import { aShop } from "../support/page/fixture.ts";

const open = useBrowser();

/** `open`: the button, and the item of its menu. */
const DIALOGS: readonly { path: string; open: readonly string[] }[] = [
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
    for (const { path, open: names } of DIALOGS) {
      await go(path);
      await openDialog(page, names);
      expect(await problemsIn(page, "dialog[open]"), `${path} ${names.join(" ")}`).toEqual([]);
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
  await go("/");
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").fill("Run Accounts");
  await page.getByRole("option", { name: "Run Accounts" }).first().click();
  await page.getByRole("dialog", { name: "Run Accounts" }).waitFor();
  expect(await problemsIn(page, "dialog[open]"), "run an epic").toEqual([]);
  await go("/pool");
  await openDialog(page, ["Start the pool…"]);
  expect(await problemsIn(page, "dialog[open]"), "start the pool").toEqual([]);
});

it("the form of a comment and the shortcuts are accessible", async () => {
  const { page, go } = await open({ viewport: PHONE, hasTouch: true });
  await go("/story/accounts--sign-in/diff");
  await page.locator(".diff-gutter-insert", { hasText: /^2$/ }).first().click();
  await page.getByLabel("Comment on line 2").fill("Import it lazily.");
  expect(await problemsIn(page, "main"), "a comment that is written").toEqual([]);
  await page.keyboard.press("Control+Enter");
  await page.getByRole("link", { name: /Finish the review/ }).waitFor();
  expect(await problemsIn(page, "main"), "a comment that is saved").toEqual([]);
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
  expect(await problemsIn(page, "dialog[open]"), "shortcuts").toEqual([]);
});

/** A button, or an item of the menu that a button opened. */
async function openDialog(page: Page, [first = "", item]: readonly string[]): Promise<void> {
  await page.getByRole("button", { name: first, exact: true }).first().click();
  if (item !== undefined) await page.getByRole("menuitem", { name: item, exact: true }).click();
  await page.getByRole("dialog").waitFor();
}

/** Leaves the page dark. One line for each problem. */
async function problemsIn(page: Page, part: string): Promise<string[]> {
  await page.locator(part).first().waitFor();
  await page.emulateMedia({ colorScheme: "light" });
  const light = await violationsOn(page, (scan) => scan.include(part));
  await page.emulateMedia({ colorScheme: "dark" });
  const dark = await violationsOn(page, (scan) => scan.include(part).withRules(CONTRAST));
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  const wide = width > PHONE.width ? [`${width} pixels wide`] : [];
  return [...light, ...dark.map((problem) => `dark: ${problem}`), ...wide];
}
