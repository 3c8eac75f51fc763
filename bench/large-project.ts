// A project with a thousand stories, fifty of them in worktrees, and the shipped dashboard: the figures of its server and
// of its page are measured on it.

import { spawn, type ChildProcess } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { openStore } from "../src/store/file-store.ts";
import { storyLease } from "../src/store/leases/lease-names.ts";
import type { RunLog } from "../src/store/runs/runs.ts";
import { makeStories, STORIES, TASKS } from "./list.ts";

export const WORKTREES = 50;
export const CHANGES = 200;
export const SIZE = `${STORIES} stories of ${TASKS} tasks`;
const SESSIONS = 30;
const LINES_PER_SECOND = 50;
const LOG_SECONDS = Number(process.env["SAGA_BENCH_LOG_SECONDS"] ?? 60);
export const LINES = LINES_PER_SECOND * LOG_SECONDS;
export const LOGS = `${SESSIONS} logs of ${LINES_PER_SECOND} lines/s for ${LOG_SECONDS} s`;

export const storyNumber = (at: number): string => `story-number-${at}`;

export function makeLargeProject(project: string): void {
  makeStories(project);
  for (let at = 0; at < WORKTREES; at++) {
    const id = storyNumber(at);
    const worktree = join(project, ".saga/worktrees", id);
    mkdirSync(worktree, { recursive: true });
    writeFileSync(join(worktree, ".git"), "gitdir: elsewhere\n");
    cpSync(join(project, ".saga/stories", id), join(worktree, ".saga/stories", id), {
      recursive: true,
    });
  }
}

/** As every writer of Saga does it. Returns the time at which the file existed, by the machine's clock. */
export function renameTask(project: string, storyId: string, subject: string): number {
  const stories = join(project, ".saga/worktrees", storyId, ".saga/stories");
  const file = join(stories, storyId, "task-3-of-it.json");
  const task = { ...(JSON.parse(readFileSync(file, "utf8")) as object), subject };
  writeFileSync(`${file}.tmp`, JSON.stringify(task));
  const at = performance.timeOrigin + performance.now();
  renameSync(`${file}.tmp`, file);
  return at;
}

export interface ShippedDashboard {
  readonly address: string;
  readonly port: number;
  readonly memoryMb: () => number;
  readonly end: () => Promise<void>;
}

export async function startShipped(
  saga: string,
  project: string,
  home: string,
  more: Readonly<Record<string, string>> = {},
): Promise<ShippedDashboard> {
  const env = { PATH: process.env["PATH"], HOME: home, TMUX_TMPDIR: home, ...more };
  // In a session of its own, like a terminal: the system divides its time by sessions.
  const options = { cwd: project, env, detached: true };
  const child = spawn(process.execPath, [saga, "dashboard", "--json"], options);
  const endWithUs = (): void => void child.kill("SIGINT");
  process.once("exit", endWithUs);
  const ended = new Promise<void>((resolve) => child.on("exit", () => resolve()));
  void ended.then(() => process.off("exit", endWithUs));
  return {
    ...(await addressOf(child)),
    memoryMb: () => memoryOf(child.pid ?? 0),
    end: async () => {
      child.kill("SIGINT");
      await ended;
    },
  };
}

function addressOf(child: ChildProcess): Promise<{ address: string; port: number }> {
  return new Promise((resolve, reject) => {
    let text = "";
    child.stdout?.on("data", (chunk: Buffer) => {
      text += chunk.toString("utf8");
      if (text.trimEnd().endsWith("}"))
        resolve(JSON.parse(text) as { address: string; port: number });
    });
    child.on("exit", (code) => reject(new Error(`saga dashboard ended with ${code}.`)));
  });
}

/** Linux shows it to everyone. */
function memoryOf(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(?<kb>\d+)/m.exec(status)?.groups?.["kb"] ?? 0) / 1024;
}

/** Their stories look as if they were running. */
export async function startRuns(project: string): Promise<RunLog[]> {
  const store = openStore(project);
  const logs: RunLog[] = [];
  for (let at = 0; at < SESSIONS; at++) {
    const id = storyNumber(at);
    await store.leases.acquire(storyLease(id), { owner: "bench", ttlMs: 60_000 });
    logs.push(await store.startRun(id));
  }
  return logs;
}

/** Writes all lines at a fixed pace; `eachSecond` gets the progress. */
export async function writeLogs(
  logs: readonly RunLog[],
  eachSecond: (line: number) => Promise<void> | void,
): Promise<void> {
  const words = "A line about what the agent has just done, of ordinary length. ".repeat(3);
  const startedAt = performance.now();
  for (let number = 0; number < LINES; number++) {
    const at = new Date().toISOString();
    const text = `Line ${number}. ${words}`;
    for (const log of logs) log.append({ at, type: "agent.said", number, text });
    if (number % LINES_PER_SECOND === 0) await eachSecond(number);
    await wait(
      Math.max(0, startedAt + (number + 1) * (1000 / LINES_PER_SECOND) - performance.now()),
    );
  }
  for (const log of logs) log.close();
}

/** How many numbers, counted from 0, are lost, doubled or out of order. */
export const misplaced = (numbers: readonly number[]): number =>
  Array.from({ length: Math.max(LINES, numbers.length) }, (_, at) => numbers[at] === at).filter(
    (isThere) => !isThere,
  ).length;

export const p95 = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length * 0.95)] ?? Infinity;
