// The page in a real browser: when it has painted what, and whether it stays smooth while thirty workers write
// their logs.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Browser, Page } from "playwright-core";
import {
  CHANGES,
  LINES,
  misplaced,
  renameTask,
  storyNumber,
  type ShippedDashboard,
} from "./large-project.ts";
import { visit } from "../test/support/chromium.ts";

const STORY = storyNumber(0);
const LAST_LINE = `Line ${LINES - 1}.`;

export interface Opening {
  readonly page: Page;
  readonly paintMs: number;
  /** The paths that had to be loaded. */
  readonly scripts: readonly string[];
}

/** With an empty cache. */
export async function openPage(browser: Browser, { address }: ShippedDashboard): Promise<Opening> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    permissions: ["clipboard-read", "clipboard-write"],
  });
  const page = await context.newPage();
  await page.addInitScript(keepNotes);
  await page.goto(address);
  const notes = await page.waitForFunction(() => {
    const { paintMs, scripts } = (window as unknown as { notes: Notes }).notes;
    return paintMs > 0 && { paintMs, scripts };
  });
  return { page, ...((await notes.jsonValue()) as Omit<Opening, "page">) };
}

interface Notes {
  paintMs: number;
  scripts: string[];
  longTasks: number[];
  /** When each expected text was painted first, by the machine's clock. */
  readonly painted: Record<string, number>;
}

/** Runs in the page before its own scripts: records what happened when. */
function keepNotes(): void {
  const notes: Notes = { paintMs: 0, scripts: [], longTasks: [], painted: {} };
  Object.assign(window, { notes });
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) notes.longTasks.push(duration);
  }).observe({ type: "longtask" });
  // The second next frame starts when the next one was painted.
  const whenPainted = (act: () => void): void =>
    void requestAnimationFrame(() => requestAnimationFrame(act));
  const look = (): void => {
    const main = document.querySelector("main");
    // The heading comes with the snapshot and names what needs a person.
    if (notes.paintMs === 0 && main?.querySelector("h1")) {
      notes.paintMs = -1;
      whenPainted(() => {
        const loaded = performance.getEntriesByType("resource").map(({ name }) => new URL(name));
        notes.scripts = loaded.map((url) => url.pathname).filter((path) => path.endsWith(".js"));
        notes.paintMs = performance.now();
      });
    }
    const changed = /Changed \d+/.exec(main?.textContent ?? "")?.[0];
    if (changed === undefined || changed in notes.painted) return;
    notes.painted[changed] = 0;
    whenPainted(() => (notes.painted[changed] = performance.timeOrigin + performance.now()));
  };
  new MutationObserver(look).observe(document, {
    subtree: true,
    childList: true,
    characterData: true,
  });
}

/** One after the other, each until it is painted. */
export async function measurePaints(page: Page, project: string): Promise<number[]> {
  await visit(page, `/story/${STORY}`);
  await page.getByText("Do part 4").first().waitFor();
  const latencies: number[] = [];
  for (let turn = 0; turn < CHANGES; turn++) {
    // All have the same length, so `Changed 1` is not a prefix of another.
    const subject = `Changed ${1000 + turn}`;
    const written = renameTask(project, STORY, subject);
    const painted = await page.waitForFunction(
      (text) => (window as unknown as { notes: Notes }).notes.painted[text],
      subject,
    );
    latencies.push(Number(await painted.jsonValue()) - written);
  }
  return latencies;
}

/** Half of the time on Home, the other half on one of the logs. */
export async function watchPage(page: Page): Promise<{
  readonly at: (line: number) => Promise<void>;
  readonly longestMs: () => Promise<number>;
}> {
  await visit(page, "/");
  await page.getByText("Story number 0").first().waitFor();
  await page.evaluate(() => ((window as unknown as { notes: Notes }).notes.longTasks = []));
  let isOnLog = false;
  return {
    async at(line) {
      if (isOnLog || line < LINES / 2) return;
      isOnLog = true;
      await visit(page, `/story/${STORY}/log`);
    },
    async longestMs() {
      await page.getByRole("button").filter({ hasText: LAST_LINE }).waitFor();
      const tasks = await page.evaluate(
        () => (window as unknown as { notes: Notes }).notes.longTasks,
      );
      return Math.max(0, ...tasks);
    },
  };
}

/** Read from the copied log. */
export async function lostLines(page: Page): Promise<number> {
  await page.getByRole("button").filter({ hasText: LAST_LINE }).waitFor();
  await page.getByRole("button", { name: "Copy the log as it is shown" }).click();
  await page.getByText("Copied").waitFor();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  const numbers = [...copied.matchAll(/Line (?<number>\d+)\./g)];
  return misplaced(numbers.map(({ groups }) => Number(groups?.["number"])));
}

export const compressedKb = (root: string, scripts: readonly string[]): number =>
  scripts.reduce((sum, path) => {
    const file = readFileSync(join(root, "dist/dashboard", path));
    return sum + gzipSync(file, { level: 9 }).length;
  }, 0) / 1000;
