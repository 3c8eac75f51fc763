// The browser of the system, for tests and for the bench. Without the code for windows it takes two thirds of the
// processor time.

import { existsSync } from "node:fs";
import { chromium, type Browser, type Page } from "playwright-core";

const WINDOWLESS = "/usr/bin/chromium-headless-shell";
const EXECUTABLE =
  process.env["CHROMIUM"] ?? (existsSync(WINDOWLESS) ? WINDOWLESS : "/usr/bin/chromium");
const ARGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export const launchChromium = (): Promise<Browser> =>
  chromium.launch({ executablePath: EXECUTABLE, args: ARGS });

/** Navigates like a link, without loading the page again. */
export const visit = (page: Page, path: string): Promise<void> =>
  page.evaluate((to) => history.pushState(undefined, "", to), path);
