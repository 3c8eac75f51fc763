// One run of a daemon that the overseer started: whether it is alive, how it ended, and what it left. No other process is
// ever signalled.

import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { ifThere } from "../../machine/files/files.ts";
import { startTimeOf, thisProcess } from "../../machine/processes/process-id.ts";
import { waitUntil } from "../../machine/processes/timer.ts";
import { readFailure, readDaemons } from "../../tasks/daemon-files.ts";
import type { DaemonExit } from "./oversight.ts";

export interface DaemonChildOptions {
  readonly project: string;
  readonly hangMs: number;
  /** Between SIGTERM and SIGKILL. */
  readonly graceMs: number;
  /** The same for a hung daemon. */
  readonly hungGraceMs: number;
  /** Sends SIGTERM when it aborts. */
  readonly stop: AbortSignal;
  readonly onError: (text: string) => void;
}

export interface DaemonLife extends DaemonExit {
  /** The daemon's folder, if it got as far as creating it. */
  readonly folder: string | undefined;
  readonly stdout: string;
  readonly livedMs: number;
}

/** Resolves when the daemon has ended. */
export async function watchDaemon(
  child: ChildProcess,
  { project, hangMs, graceMs, hungGraceMs, stop, onError }: DaemonChildOptions,
): Promise<DaemonLife> {
  const startedAt = performance.now();
  const output = readOutput(child, onError);
  const heartbeat = followHeartbeat(project, child.pid, hangMs);
  let wasHung = false;
  let killing: NodeJS.Timeout | undefined;
  const end = (forMs: number): void => {
    child.kill("SIGTERM");
    // It is a child that was not waited for yet: its process id cannot have been reused.
    killing ??= setTimeout(() => child.kill("SIGKILL"), forMs);
  };
  const onStop = (): void => end(graceMs);
  const watching = setInterval(() => {
    if (stop.aborted || wasHung || !heartbeat.hasStopped()) return;
    wasHung = true;
    end(hungGraceMs);
  }, heartbeat.everyMs);
  stop.addEventListener("abort", onStop);
  if (stop.aborted) onStop();
  try {
    await waitForEnd(child);
  } finally {
    clearInterval(watching);
    clearTimeout(killing);
    stop.removeEventListener("abort", onStop);
  }
  heartbeat.hasStopped();
  const own = heartbeat.folder();
  return {
    folder: own,
    exitCode: child.exitCode ?? undefined,
    signal: child.signalCode ?? undefined,
    wasHung,
    failure: own === undefined ? undefined : readFailure(own),
    hasLived: own !== undefined,
    lastWords: output.lastWords(),
    stdout: output.stdout(),
    livedMs: performance.now() - startedAt,
  };
}

/**
 * Workers of a killed daemon notice that, save their work and return their tasks. A daemon that starts before would see
 * those tasks as claimed. This process must not end the workers.
 */
export async function waitForWorkers(
  project: string,
  folder: string,
  { mostMs, stop }: { readonly mostMs: number; readonly stop: AbortSignal },
): Promise<void> {
  const hasWorkers = (): boolean =>
    readDaemons(project).some(
      (other) => other.folder === folder && other.workers.some(({ life }) => life === "alive"),
    );
  await waitUntil(() => !hasWorkers(), { maxMs: mostMs, pollMs: 100, stop });
}

/** Its last output may arrive after its end; another process that holds the pipe open is not waited for. */
async function waitForEnd(child: ChildProcess): Promise<void> {
  const closed = once(child, "close");
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  const enough = new AbortController();
  await Promise.race([closed, wait(LAST_OUTPUT_MS, undefined, { signal: enough.signal })]);
  enough.abort();
}

const LAST_OUTPUT_MS = 1_000;

interface ChildOutput {
  readonly stdout: () => string;
  readonly lastWords: () => string;
}

const MAX_OUTPUT = 1_000_000;

function readOutput(child: ChildProcess, onError: (text: string) => void): ChildOutput {
  let stdout = "";
  let stderr = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    stdout = `${stdout}${text}`.slice(-MAX_OUTPUT);
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    stderr = `${stderr}${text}`.slice(-MAX_OUTPUT);
    onError(text);
  });
  return {
    stdout: () => stdout,
    lastWords: () => lastWordsIn(stdout, stderr),
  };
}

/** Why the daemon ended, from its output. */
export const lastWordsIn = (stdout: string, stderr: string): string =>
  errorIn(stdout) ?? lastLines(stderr.trim() === "" ? stdout : stderr);

/** The message of a JSON error, which is the best reason. */
function errorIn(stdout: string): string | undefined {
  try {
    const json = JSON.parse(stdout) as { readonly error?: { readonly message?: unknown } } | null;
    const message = json?.error?.message;
    return typeof message === "string" ? message : undefined;
  } catch {
    return undefined;
  }
}

/** Without the stack trace of Node.js. */
const lastLines = (text: string): string =>
  text
    .split("\n")
    .filter((line) => line.trim() !== "" && !/^\s+at |^Node\.js v/.test(line))
    .slice(-3)
    .join(" ");

interface Heartbeat {
  readonly everyMs: number;
  readonly hasStopped: () => boolean;
  /** The daemon's folder, once it exists. */
  readonly folder: () => string | undefined;
}

/** A daemon updates its file while it is alive. */
function followHeartbeat(project: string, pid: number | undefined, hangMs: number): Heartbeat {
  const everyMs = Math.min(Math.max(hangMs / 10, 20), 5_000);
  const startTime = pid === undefined ? undefined : startTimeOf(pid);
  let own: string | undefined;
  const silence = newSilence(everyMs, performance.now());
  return {
    everyMs,
    folder: () => own,
    hasStopped() {
      if (pid !== undefined) own ??= folderOf(project, pid, startTime);
      const sign = own === undefined ? "" : signOf(join(own, "daemon.json"));
      return silence(sign, performance.now()) > hangMs;
    },
  };
}

/**
 * How long no new sign was seen. Only time that this process observed counts: while the machine slept, the daemon could
 * not update anything either.
 */
export function newSilence(
  everyMs: number,
  startMs: number,
): (sign: string, nowMs: number) => number {
  let lastSign = "";
  let silentMs = 0;
  let checkedAtMs = startMs;
  return (sign, nowMs) => {
    silentMs += Math.min(nowMs - checkedAtMs, 2 * everyMs);
    checkedAtMs = nowMs;
    if (sign !== lastSign) [lastSign, silentMs] = [sign, 0];
    return silentMs;
  };
}

const signOf = (file: string): string => {
  const stats = ifThere(() => statSync(file, { bigint: true }));
  return stats === undefined ? "" : `${stats.ino} ${stats.mtimeNs} ${stats.size}`;
};

/** The folder of the daemon with this process id. */
function folderOf(project: string, pid: number, startTime: string | undefined): string | undefined {
  const { bootId, place } = thisProcess();
  return readDaemons(project).findLast(
    ({ daemon: { process } }) =>
      process.pid === pid &&
      process.bootId === bootId &&
      process.place === place &&
      (startTime === undefined || process.startTime === startTime),
  )?.folder;
}
