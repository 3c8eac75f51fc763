// The dashboard's server as it is shipped, with a real WebSocket: how soon it shows a large project, how soon a
// change in a worktree is told, and that no line of thirty logs is lost, at what price.

import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { ToPage } from "../src/dashboard/protocol.ts";
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
  type ShippedDashboard,
} from "./large-project.ts";
import { STORIES } from "./list.ts";
import { connect, type LiveClient } from "./live-client.ts";
import { boundFigure, countFigure, type Figure } from "./table.ts";

export async function dashboardFigures(saga: string, folder: string): Promise<Figure[]> {
  const project = join(folder, "dashboard");
  makeLargeProject(project);
  const started = performance.now();
  const shipped = await startShipped(saga, project, folder);
  const client = await connect(shipped, STORIES);
  const readyMs = performance.now() - started;
  try {
    const latencies = await measureChanges(client, project);
    const { lost, peakMb } = await followLogs(client, shipped, project);
    return [
      boundFigure(`saga dashboard, ${SIZE}: start to snapshot`, readyMs, 1000),
      boundFigure("a task changed in a worktree, until it is told, p95", p95(latencies), 150),
      countFigure(`lines lost or doubled, ${LOGS}`, lost, 0, "lines"),
      countFigure(`memory of the server, ${LOGS}`, peakMb, 250, "MB"),
    ];
  } finally {
    client.close();
    await shipped.end();
  }
}

/** One after the other, each until it is told. */
async function measureChanges(client: LiveClient, project: string): Promise<number[]> {
  let onChange: (message: ToPage) => void = () => undefined;
  client.onMessage((message) => onChange(message));
  const latencies: number[] = [];
  for (let turn = 0; turn < CHANGES; turn++) {
    const subject = `Changed ${turn}`;
    const told = new Promise<number>((resolve) => {
      onChange = (message) => {
        if (message.type === "change" && JSON.stringify(message).includes(subject))
          resolve(performance.timeOrigin + performance.now());
      };
    });
    const written = renameTask(project, storyNumber(turn % WORKTREES), subject);
    latencies.push((await told) - written);
  }
  return latencies;
}

async function followLogs(
  client: LiveClient,
  { memoryMb }: ShippedDashboard,
  project: string,
): Promise<{ lost: number; peakMb: number }> {
  const logs = await startRuns(project);
  const seen = new Map<string, number[]>(logs.map(({ run }) => [run.story, []]));
  client.onMessage((message) => {
    if (message.type !== "log") return;
    seen.get(message.story)?.push(...message.events.map((event) => Number(event["number"])));
  });
  for (const { run } of logs)
    client.send({ type: "follow", story: run.story, run: run.id, from: 0 });
  let peakMb = 0;
  await writeLogs(logs, () => {
    peakMb = Math.max(peakMb, memoryMb());
  });
  const isThere = (): boolean => [...seen.values()].every((numbers) => numbers.length >= LINES);
  for (const deadline = Date.now() + 10_000; !isThere() && Date.now() < deadline;) await wait(20);
  const lost = [...seen.values()].reduce((sum, numbers) => sum + misplaced(numbers), 0);
  return { lost, peakMb };
}
