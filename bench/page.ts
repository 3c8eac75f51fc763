// The page in a real browser, before the server as it is shipped: how soon it shows something, how soon a change
// in a worktree is on it, and whether it stays smooth while thirty workers write their logs.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Browser, Page } from "playwright-core";
import { launchChromium } from "../test/support/chromium.ts";
import {
  CHANGES,
  LINES,
  LOGS,
  makeLargeProject,
  misplaced,
  p95,
  renameTask,
  SIZE,
  startRuns,
  startShipped,
  storyNumber,
  writeLogs,
  type ShippedDashboard,
} from "./large-project.ts";
import { boundFigure, countFigure, median, type Figure } from "./table.ts";

const OPENINGS = 5;
const STORY = storyNumber(0);

export async function pageFigures(root: string, saga: string, folder: string): Promise<Figure[]> {
  const project = join(folder, "dashboard-page");
  makeLargeProject(project);
  const shipped = await startShipped(saga, project, folder);
  const browser = await launchChromium();
  try {
    const openings: Opening[] = [];
    for (let turn = 0; turn < OPENINGS; turn++) openings.push(await open(browser, shipped));
    const [{ page, scripts }] = openings as [Opening];
    for (const { page: other } of openings.slice(1)) await other.context().close();
    const latencies = await measureChanges(page, project);
    const { lost, longestMs, peakMb } = await watchLogs(page, shipped, project);
    const paintMs = median(openings.map((one) => one.paintMs));
    const kb = scripts.reduce((sum, path) => sum + compressed(root, path), 0) / 1000;
    return [
      boundFigure(`the page, ${SIZE}: opening to the first useful paint`, paintMs, 1000),
      boundFigure(
        "a task changed in a worktree, until it is on the page, p95",
        p95(latencies),
        150,
      ),
      countFigure(`lines lost or doubled on the page, ${LOGS}`, lost, 0, "lines"),
      boundFigure(`longest task of the page's main thread, ${LOGS}`, longestMs, 50),
      countFigure(`memory of the server with a page open, ${LOGS}`, peakMb, 250, "MB"),
      countFigure("JavaScript of the first page, compressed", kb, 150, "kB"),
    ];
  } finally {
    await browser.close();
    await shipped.end();
  }
}

interface Opening {
  readonly page: Page;
  readonly paintMs: number;
  /** What had to be loaded for it: paths of the address. */
  readonly scripts: readonly string[];
}

/** With nothing in the cache, as the first time. */
async function open(browser: Browser, { address }: ShippedDashboard): Promise<Opening> {
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
  /** When each text that was waited for was painted first, on the clock of the machine. */
  readonly painted: Record<string, number>;
}

/** In the page, before anything of its own: what happened when. */
function keepNotes(): void {
  const notes: Notes = { paintMs: 0, scripts: [], longTasks: [], painted: {} };
  Object.assign(window, { notes });
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) notes.longTasks.push(duration);
  }).observe({ type: "longtask" });
  // The frame after the next one begins when the next one was painted.
  const whenPainted = (act: () => void): void =>
    void requestAnimationFrame(() => requestAnimationFrame(act));
  const look = (): void => {
    const main = document.querySelector("main");
    // The heading comes with the snapshot: it says what needs a person.
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
async function measureChanges(page: Page, project: string): Promise<number[]> {
  await visit(page, `/story/${STORY}`);
  await page.getByText("Do part 3").first().waitFor();
  const latencies: number[] = [];
  for (let turn = 0; turn < CHANGES; turn++) {
    // Each as long as the next: `Changed 1` is no beginning of another.
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
async function watchLogs(
  page: Page,
  { memoryMb }: ShippedDashboard,
  project: string,
): Promise<{ lost: number; longestMs: number; peakMb: number }> {
  await visit(page, "/");
  const logs = await startRuns(project);
  await page.getByText("Story number 0").first().waitFor();
  await page.evaluate(() => ((window as unknown as { notes: Notes }).notes.longTasks = []));
  let peakMb = 0;
  let isOnLog = false;
  await writeLogs(logs, async (line) => {
    peakMb = Math.max(peakMb, memoryMb());
    if (isOnLog || line < LINES / 2) return;
    isOnLog = true;
    await visit(page, `/story/${STORY}/log`);
  });
  await page.getByText(`Line ${LINES - 1}.`).waitFor();
  const longTasks = await page.evaluate(
    () => (window as unknown as { notes: Notes }).notes.longTasks,
  );
  await page.getByRole("button", { name: "Copy the log as it is shown" }).click();
  await page.getByText("Copied").waitFor();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  const numbers = [...copied.matchAll(/Line (?<number>\d+)\./g)];
  const lost = misplaced(numbers.map(({ groups }) => Number(groups?.["number"])));
  return { lost, longestMs: Math.max(0, ...longTasks), peakMb };
}

/** As a link does: the page stays. */
const visit = (page: Page, path: string): Promise<void> =>
  page.evaluate((to) => history.pushState(undefined, "", to), path);

const compressed = (root: string, path: string): number =>
  gzipSync(readFileSync(join(root, "dist/dashboard", path)), { level: 9 }).length;
