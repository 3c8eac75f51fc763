// The shipped dashboard on a large project, with a real WebSocket and a real browser: how soon it shows the project, how
// soon a change in a worktree is sent and painted, and that no line of thirty logs is lost, at which cost.

import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { launchChromium } from "../test/support/chromium.ts";
import type { ToPage } from "../src/dashboard/protocol/messages.ts";
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
  WORKTREES,
  writeLogs,
} from "./large-project.ts";
import { STORIES } from "./list.ts";
import { connect, type LiveClient } from "./live-client.ts";
import { compressedKb, lostLines, measurePaints, openPage, watchPage } from "./page.ts";
import { boundFigure, countFigure, median, type Figure } from "./table.ts";

const OPENINGS = 5;

export async function dashboardFigures(
  root: string,
  saga: string,
  folder: string,
): Promise<Figure[]> {
  const project = join(folder, "dashboard");
  makeLargeProject(project);
  const started = performance.now();
  const shipped = await startShipped(saga, project, folder);
  const client = await connect(shipped, STORIES);
  const readyMs = performance.now() - started;
  const browser = await launchChromium();
  try {
    const latenciesMs = await measureChanges(client, project);
    const { page, paintMs, scripts } = await openPage(browser, shipped);
    const paints = [paintMs];
    for (let turn = 1; turn < OPENINGS; turn++) {
      const other = await openPage(browser, shipped);
      paints.push(other.paintMs);
      await other.page.context().close();
    }
    const painted = await measurePaints(page, project);
    const logs = await startRuns(project);
    const received = follow(
      client,
      logs.map(({ run }) => run),
    );
    const watched = await watchPage(page);
    let peakMb = 0;
    await writeLogs(logs, async (line) => {
      peakMb = Math.max(peakMb, shipped.memoryMb());
      await watched.at(line);
    });
    // Before the log is copied, which is a long task itself.
    const longestMs = await watched.longestMs();
    return [
      boundFigure(`saga dashboard, ${SIZE}: start to snapshot`, readyMs, 1000),
      boundFigure("  opening the page to the first useful paint", median(paints), 1000),
      boundFigure(
        "  a task changed in a worktree, until the page has it, p95",
        p95(latenciesMs),
        150,
      ),
      boundFigure("  the same, until it is on the page, p95", p95(painted), 150),
      countFigure(`lines lost or doubled, ${LOGS}`, await lost(received), "lines", 0),
      countFigure("  on the page", await lostLines(page), "lines", 0),
      boundFigure("  longest task of the page's main thread", longestMs, 50),
      countFigure("  memory of the server", peakMb, "MB", 250),
      countFigure(
        "JavaScript of the first page, compressed",
        compressedKb(root, scripts),
        "kB",
        150,
      ),
    ];
  } finally {
    client.close();
    await browser.close();
    await shipped.end();
  }
}

/** One after the other, each until it is reported. */
async function measureChanges(client: LiveClient, project: string): Promise<number[]> {
  let onChange: (message: ToPage) => void = () => undefined;
  client.onMessage((message) => onChange(message));
  const latencies: number[] = [];
  for (let turn = 0; turn < CHANGES; turn++) {
    const subject = `Changed ${turn}`;
    const reported = new Promise<number>((resolve) => {
      onChange = (message) => {
        if (message.type === "change" && JSON.stringify(message).includes(subject))
          resolve(performance.timeOrigin + performance.now());
      };
    });
    const written = renameTask(project, storyNumber(turn % WORKTREES), subject);
    latencies.push((await reported) - written);
  }
  onChange = () => undefined;
  return latencies;
}

type ReceivedNumbers = ReadonlyMap<string, number[]>;

/** All of them at once, from their start. */
function follow(
  client: LiveClient,
  runs: readonly { readonly story: string; readonly id: string }[],
): ReceivedNumbers {
  const received = new Map<string, number[]>(runs.map(({ story }) => [story, []]));
  client.onMessage((message) => {
    if (message.type !== "log") return;
    received.get(message.story)?.push(...message.events.map((event) => Number(event["number"])));
  });
  for (const { story, id } of runs) client.send({ type: "follow", story, run: id, from: 0 });
  return received;
}

async function lost(received: ReceivedNumbers): Promise<number> {
  const isThere = (): boolean => [...received.values()].every((numbers) => numbers.length >= LINES);
  for (const deadline = Date.now() + 10_000; !isThere() && Date.now() < deadline;) await wait(20);
  return [...received.values()].reduce((sum, numbers) => sum + misplaced(numbers), 0);
}
