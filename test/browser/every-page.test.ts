// Scans every page for accessibility problems, on a desktop and on a phone, and sees that none is blank.
// `SAGA_SCREENSHOTS=docs/screenshots npx vitest run test/browser/every-page.test.ts` updates the screenshots there.

import { copyFileSync, existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CONTRAST, violationsOn } from "../support/axe.ts";
import { DESKTOP, PHONE, useBrowser } from "../support/browser.ts";
import { visit } from "../support/chromium.ts";
import { nothingYet } from "../support/page/fixture.ts";

/** `ready`: the last element to appear. */
const PAGES = [
  { name: "home", path: "/", ready: "text=Running now" },
  { name: "board", path: "/board?by=epic", ready: "text=Pay by card" },
  { name: "epic", path: "/epic/checkout", ready: ".react-flow__node" },
  { name: "story", path: "/story/checkout--prices?task=price-lines", ready: ".prose p:visible" },
  { name: "log", path: "/story/checkout--prices/log", ready: "[role=log] [data-index]" },
  { name: "diff", path: "/story/accounts--sign-in/diff", ready: ".diff .token" },
  { name: "journal", path: "/story/checkout--payment/journal", ready: ".prose p:visible" },
  { name: "receipts", path: "/story/accounts--sign-in/receipts", ready: "text=Reviewer" },
  { name: "runs", path: "/story/checkout--payment/runs", ready: "text=Outcome" },
  { name: "stories", path: "/stories", ready: "text=Pay by card" },
  { name: "pool", path: "/pool", ready: "text=Workers" },
  { name: "landing", path: "/landing", ready: "text=Merged before" },
  { name: "fleet", path: "/fleet", ready: "text=last heartbeat" },
  { name: "sessions", path: "/sessions", ready: "text=saga attach" },
  { name: "costs", path: "/costs", ready: "text=By model" },
  { name: "timeline", path: "/timeline", ready: "main rect" },
] as const;

/** The screenshot of a blank page is smaller. */
const BLANK_BYTES = 8000;
/** A scan checks every element and every pair of colours. */
const SCAN_MS = 120_000;
const targetFolder = process.env["SAGA_SCREENSHOTS"];
/** One screenshot shows whether a page is blank; the documentation has both. */
const THEMES = targetFolder === undefined ? (["dark"] as const) : (["light", "dark"] as const);
let folder = "";

describe("every page", { timeout: SCAN_MS }, () => {
  const open = useBrowser();
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "saga-screenshots-"));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it("is accessible on a desktop, light and dark", async () => {
    const { page, go } = await open({ viewport: DESKTOP });
    const check = async (name: string): Promise<void> => {
      await screenshotBoth(page, name);
      expect(await violationsOn(page, (scan) => scan.withRules(CONTRAST)), name).toEqual([]);
      await page.emulateMedia({ colorScheme: "light" });
      expect(await violationsOn(page), name).toEqual([]);
    };
    await go("/");
    for (const { name, path, ready } of PAGES) {
      await visit(page, path);
      await page.locator(ready).first().waitFor();
      await check(name);
    }
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").fill("pri");
    await page.getByRole("option").first().waitFor();
    await check("palette");
  });

  it("is accessible on a phone, and not wider than the screen", async () => {
    const { page, go } = await open({ viewport: PHONE, hasTouch: true });
    await go("/");
    for (const { name, path, ready } of PAGES) {
      await visit(page, path);
      await page.locator(ready).first().waitFor();
      // The colours are the same as on a desktop.
      expect(await violationsOn(page, (scan) => scan.disableRules(CONTRAST)), name).toEqual([]);
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      expect(width, name).toBeLessThanOrEqual(PHONE.width);
    }
  });

  it("is accessible in an empty project", async () => {
    const { page, go } = await open({ entities: nothingYet(), colorScheme: "light" });
    await go("/");
    expect(await violationsOn(page)).toEqual([]);
    await screenshot(page, "empty-light");
  });
});

/** Leaves the page dark. */
async function screenshotBoth(page: Page, name: string): Promise<void> {
  for (const colorScheme of THEMES) {
    await page.emulateMedia({ colorScheme });
    await screenshot(page, `${name}-${colorScheme}`);
  }
}

async function screenshot(page: Page, name: string): Promise<void> {
  await page.evaluate(() => document.fonts.ready);
  const path = join(folder, `${name}.png`);
  await page.screenshot({ path, animations: "disabled" });
  expect(statSync(path).size, name).toBeGreaterThan(BLANK_BYTES);
  const documented = targetFolder && resolve(targetFolder, `${name}.png`);
  if (documented && existsSync(documented)) copyFileSync(path, documented);
}
