// One real Chromium per test file. Its pages report their own errors.

import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished } from "vitest";
import type { Entities } from "../../src/dashboard/protocol/messages.ts";
import { launchChromium } from "./chromium.ts";
import { FIXTURE_NOW } from "./page/moment.ts";
import { startFixtureServer, type FixtureServer } from "./page/server.ts";

export const DESKTOP = { width: 1280, height: 800 };
export const PHONE = { width: 390, height: 844 };

export interface OpenPage {
  readonly page: Page;
  readonly server: FixtureServer;
  readonly go: (path: string) => Promise<void>;
}

type PageOptions = BrowserContextOptions & { entities?: Entities };

/** Pages from the fixture's server. Call once at the top of a test file. */
export function useBrowser(): (options?: PageOptions) => Promise<OpenPage> {
  const newPage = useChromium();
  return async ({ entities, ...options } = {}) => {
    const server = await startFixtureServer(entities);
    onTestFinished(() => server.close());
    const page = await newPage(options);
    await page.clock.setFixedTime(FIXTURE_NOW);
    const go = async (path: string): Promise<void> => {
      await page.goto(`${server.address}${path}`);
      await page.getByRole("heading", { level: 1 }).waitFor();
    };
    return { page, server, go };
  };
}

/**
 * Pages that fail their test on a script error or a violation of the content policy. A new context costs as much as the
 * page itself, so pages without options of their own share one; what a test stored there is removed after it.
 */
export function useChromium(): (options?: BrowserContextOptions) => Promise<Page> {
  let browser: Browser;
  let shared: BrowserContext;
  beforeAll(async () => {
    browser = await launchChromium();
    shared = await browser.newContext(USUAL);
    // The first page keeps the process of the others alive.
    await shared.newPage();
  });
  afterAll(() => browser.close());
  return async (options = {}) => {
    const isShared = Object.keys(options).length === 0;
    const context = isShared ? shared : await browser.newContext({ ...USUAL, ...options });
    const page = await context.newPage();
    page.setDefaultTimeout(20_000);
    const errors: string[] = [];
    page.on("pageerror", (error) => errors.push(error.message));
    page.on("console", (message) => {
      // The browser logs lost connections and refused requests itself; tests cause both.
      if (message.type() === "error" && !/WebSocket|ERR_|40[134]/.test(message.text())) {
        errors.push(message.text());
      }
    });
    onTestFinished(async () => {
      if (isShared) {
        await clearStorage(page);
        await page.close();
      } else await context.close();
      expect(errors).toEqual([]);
    });
    return page;
  };
}

const USUAL: BrowserContextOptions = {
  viewport: DESKTOP,
  reducedMotion: "reduce",
  locale: "en-GB",
  timezoneId: "UTC",
};

/** A later test's server may get the same port. */
async function clearStorage(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const { origin } = new URL(page.url());
  await session.send("Storage.clearDataForOrigin", { origin, storageTypes: "all" });
}
