// Finds and ends processes, by parentage and by a variable in their environment: a shell's children may outlive their
// parents.

import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { SYSTEM_TOOL_ENV, startTimeOf } from "./process-id.ts";

/** A process that cannot be confused with a later one of the same pid. */
export interface KnownProcess {
  readonly pid: number;
  readonly startTime: string;
}

/** All processes with this variable, wherever they are in the tree, except this one. */
export function processesWith(name: string, value: string): KnownProcess[] {
  return identified(
    process.platform === "linux" ? linuxWith(`${name}=${value}`) : othersWith(`${name}=${value}`),
  );
}

/** A process and its descendants. */
export function processTree(root: KnownProcess): KnownProcess[] {
  if (!isAlive(root)) return [];
  const children = childrenByParent();
  const found: number[] = [];
  const open = [root.pid];
  for (let pid = open.pop(); pid !== undefined; pid = open.pop()) {
    found.push(pid);
    open.push(...(children.get(pid) ?? []));
  }
  return identified(found);
}

export const isAlive = ({ pid, startTime }: KnownProcess): boolean =>
  startTimeOf(pid) === startTime;

/** An environment variable that marks the processes of one piece of work. */
export type ProcessMark = readonly [name: string, value: string];

const MAX_ROUNDS = 5;

/** Ends these processes and all with the mark. */
export async function endMarkedProcesses(
  [name, value]: ProcessMark,
  processes: readonly KnownProcess[],
  options: EndOptions,
): Promise<void> {
  let found = [...processes, ...processesWith(name, value)];
  // A shell may have started another process while it was ended.
  for (let round = 0; found.length > 0 && round < MAX_ROUNDS; round++) {
    await endProcesses(found, options);
    found = processesWith(name, value);
  }
}

export interface EndOptions {
  /** Between the polite signal and the hard one. */
  readonly graceMs: number;
}

/** SIGTERM, then SIGKILL. Returns when all are gone. */
export async function endProcesses(
  processes: readonly KnownProcess[],
  { graceMs }: EndOptions,
): Promise<void> {
  for (const one of processes) signal(one, "SIGTERM");
  if (await untilGone(processes, graceMs)) return;
  for (const one of processes) signal(one, "SIGKILL");
  await untilGone(processes, graceMs);
}

async function untilGone(processes: readonly KnownProcess[], forMs: number): Promise<boolean> {
  const deadline = Date.now() + forMs;
  for (let pauseMs = 5; processes.some(isAlive); pauseMs = Math.min(pauseMs * 2, 100)) {
    if (Date.now() > deadline) return false;
    await wait(pauseMs);
  }
  return true;
}

function signal(one: KnownProcess, name: NodeJS.Signals): void {
  if (!isAlive(one)) return;
  try {
    process.kill(one.pid, name);
  } catch {
    // It ended in this moment.
  }
}

const identified = (pids: readonly number[]): KnownProcess[] =>
  pids.flatMap((pid) => {
    const startTime = pid === process.pid ? undefined : startTimeOf(pid);
    return startTime === undefined ? [] : [{ pid, startTime }];
  });

interface Parentage {
  readonly pid: number;
  readonly parent: number;
}

function childrenByParent(): Map<number, number[]> {
  const children = new Map<number, number[]>();
  for (const { pid, parent } of parents()) {
    const known = children.get(parent);
    if (known) known.push(pid);
    else children.set(parent, [pid]);
  }
  return children;
}

export const parents = (platform = process.platform): Parentage[] =>
  platform === "linux"
    ? linuxPids().flatMap((pid) => {
        const stat = readProc(`/proc/${pid}/stat`);
        const parent = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
        return parent > 0 ? [{ pid, parent }] : [];
      })
    : parentsIn(ps(["-ax", "-o", "pid=", "-o", "ppid="]));

/** `  501     1`, line by line. */
export const parentsIn = (lines: readonly string[]): Parentage[] =>
  lines.flatMap((line) => {
    const [pid = 0, parent = 0] = line.trim().split(/\s+/).map(Number);
    return pid > 0 ? [{ pid, parent }] : [];
  });

const linuxWith = (pair: string): number[] =>
  linuxPids().filter((pid) => readProc(`/proc/${pid}/environ`).split("\0").includes(pair));

const linuxPids = (): number[] =>
  readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));

/** A file below /proc. Empty when the process is gone or belongs to another user, and where there is no /proc. */
export function readProc(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

const othersWith = (pair: string): number[] =>
  pidsWithPair(ps(["-axEww", "-o", "pid=", "-o", "command="]), pair);

/** Each line is a pid, a command line and, for own processes, the environment. */
export const pidsWithPair = (lines: readonly string[], pair: string): number[] =>
  lines.filter((line) => `${line} `.includes(` ${pair} `)).map((line) => Number.parseInt(line, 10));

/** One `-o` per column: Apple's `ps` takes everything after the first equals sign as that column's heading. */
function ps(args: readonly string[]): string[] {
  const text = execFileSync("ps", args, {
    encoding: "utf8",
    env: SYSTEM_TOOL_ENV,
    maxBuffer: 50_000_000,
  });
  return text.split("\n").filter((line) => line.trim() !== "");
}
