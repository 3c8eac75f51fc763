// Every page once on a desk and once on a phone: scanned for what would keep somebody from using it, and its
// picture taken for the documentation. `SAGA_SCREENSHOTS=docs/screenshots npx vitest run
// test/browser/every-page.test.ts` renews the pictures; else they are thrown away: that they can be made is
// tested.

import { mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DESKTOP, PHONE, useBrowser } from "../support/browser.ts";
import { visit } from "../support/chromium.ts";
import { nothingYet } from "../support/page/fixture.ts";

/** Each with the last thing to come on it. */
const PAGES = [
  { name: "home", path: "/", ready: "text=Running now" },
  { name: "epic", path: "/epic/checkout", ready: ".react-flow__node" },
  { name: "story", path: "/story/checkout--prices?task=price-lines", ready: ".prose p:visible" },
  { name: "log", path: "/story/checkout--prices/log", ready: "[role=log] [data-index]" },
  { name: "diff", path: "/story/checkout--prices/diff", ready: ".diff" },
  { name: "journal", path: "/story/checkout--payment/journal", ready: ".prose p:visible" },
  { name: "receipts", path: "/story/accounts--sign-in/receipts", ready: "text=Reviewer" },
  { name: "runs", path: "/story/checkout--payment/runs", ready: "text=Outcome" },
  { name: "stories", path: "/stories", ready: "text=Pay by card" },
  { name: "pool", path: "/pool", ready: "text=Workers" },
  { name: "sessions", path: "/sessions", ready: "text=saga attach" },
  { name: "timeline", path: "/timeline", ready: "main rect" },
] as const;

/** Enough to see that it fits; the others are laid out alike. */
const PICTURED_ON_A_PHONE = new Set<string>(["home", "epic", "story", "log"]);
const THEMES = ["light", "dark"] as const;
/** A page without anything on it is smaller than this. */
const BLANK_BYTES = 8000;
/** A scan looks at every element, and at every pair of colours. */
const SCAN_MS = 120_000;
const kept = process.env["SAGA_SCREENSHOTS"];
let folder = "";

describe("every page", { timeout: SCAN_MS }, () => {
  const open = useBrowser();
  beforeAll(() => {
    folder = kept === undefined ? mkdtempSync(join(tmpdir(), "saga-screenshots-")) : resolve(kept);
    mkdirSync(folder, { recursive: true });
  });
  afterAll(() => {
    if (kept === undefined) rmSync(folder, { recursive: true });
  });

  it("can be used by everyone on a desk, light and dark", async () => {
    const { page, go } = await open({ viewport: DESKTOP });
    const look = async (name: string): Promise<void> => {
      await pictureInBoth(page, name);
      expect(await violationsOn(page, (scan) => scan.withRules(CONTRAST)), name).toEqual([]);
      await page.emulateMedia({ colorScheme: "light" });
      expect(await violationsOn(page), name).toEqual([]);
    };
    await go("/");
    for (const { name, path, ready } of PAGES) {
      await visit(page, path);
      await page.locator(ready).first().waitFor();
      await look(name);
    }
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").fill("pri");
    await page.getByRole("option").first().waitFor();
    await look("palette");
  });

  it("can be used by everyone on a phone, and nothing is wider than the screen", async () => {
    const { page, go } = await open({ viewport: PHONE, hasTouch: true });
    await go("/");
    for (const { name, path, ready } of PAGES) {
      await visit(page, path);
      await page.locator(ready).first().waitFor();
      // Its colours are those of the desk.
      expect(await violationsOn(page, (scan) => scan.disableRules(CONTRAST)), name).toEqual([]);
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      expect(width, name).toBeLessThanOrEqual(PHONE.width);
      if (PICTURED_ON_A_PHONE.has(name)) await pictureInBoth(page, `phone-${name}`);
      await page.emulateMedia({ colorScheme: "light" });
    }
  });

  it("has something to show in a project with nothing in it", async () => {
    const { page, go } = await open({ entities: nothingYet(), colorScheme: "light" });
    await go("/");
    expect(await violationsOn(page)).toEqual([]);
    await picture(page, "empty-light");
  });
});

const CONTRAST = "color-contrast";

async function violationsOn(
  page: Page,
  narrow: (scan: AxeBuilder) => AxeBuilder = (scan) => scan,
): Promise<string[]> {
  // The scanner is half a megabyte: it is put into a page once, not twice for each scan.
  const isThere = await page.evaluate(() => "axe" in window);
  const scanner = new AxeBuilder({ page, ...(isThere && { axeSource: "void 0" }) });
  // The older mode needs no second page to sum up what it found in frames; there are none.
  const scan = narrow(scanner.setLegacyMode().options({ resultTypes: ["violations"] }));
  const { violations } = await scan.analyze();
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`),
  );
}

/** Leaves it dark. */
async function pictureInBoth(page: Page, name: string): Promise<void> {
  for (const colorScheme of THEMES) {
    await page.emulateMedia({ colorScheme });
    await picture(page, `${name}-${colorScheme}`);
  }
}

async function picture(page: Page, name: string): Promise<void> {
  await page.evaluate(() => document.fonts.ready);
  const path = join(folder, `${name}.png`);
  await page.screenshot({ path, animations: "disabled" });
  expect(statSync(path).size, name).toBeGreaterThan(BLANK_BYTES);
}
