// One life of a daemon that the overseer started: its sign of life, its end, and what it left behind.
// No other process is ever touched.

import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { ifThere } from "../../machine/files/files.ts";
import { startTimeOf, thisProcess } from "../../machine/processes/process-id.ts";
import { readFailure, readDaemons } from "../../tasks/daemon-files.ts";
import type { DaemonExit } from "./oversight.ts";

export interface DaemonWatch {
  readonly project: string;
  readonly hangMs: number;
  /** Between the polite signal and the hard one, for one that is well. */
  readonly graceMs: number;
  /** The same for one that is hung. */
  readonly hungGraceMs: number;
  /** Asks it to end, politely. */
  readonly stop: AbortSignal;
  readonly onError: (text: string) => void;
}

export interface DaemonLife extends DaemonExit {
  /** Its own, when it got so far. */
  readonly folder: string | undefined;
  readonly stdout: string;
  readonly livedMs: number;
}

/** Answers when the daemon has ended, one way or another. */
export async function watchDaemon(
  child: ChildProcess,
  { project, hangMs, graceMs, hungGraceMs, stop, onError }: DaemonWatch,
): Promise<DaemonLife> {
  const startedAt = performance.now();
  const heard = listen(child, onError);
  const pulse = newPulse(project, child.pid, hangMs);
  let wasHung = false;
  let killing: NodeJS.Timeout | undefined;
  const end = (forMs: number): void => {
    child.kill("SIGTERM");
    // It is this process's own child, and not yet waited for: the number is nobody else's.
    killing ??= setTimeout(() => child.kill("SIGKILL"), forMs);
  };
  const onStop = (): void => end(graceMs);
  const watching = setInterval(() => {
    if (stop.aborted || wasHung || !pulse.hasStopped()) return;
    wasHung = true;
    end(hungGraceMs);
  }, pulse.everyMs);
  stop.addEventListener("abort", onStop);
  if (stop.aborted) onStop();
  try {
    await untilEnded(child);
  } finally {
    clearInterval(watching);
    clearTimeout(killing);
    stop.removeEventListener("abort", onStop);
  }
  pulse.hasStopped();
  const own = pulse.folder();
  return {
    folder: own,
    exitCode: child.exitCode ?? undefined,
    signal: child.signalCode ?? undefined,
    wasHung,
    failure: own === undefined ? undefined : readFailure(own),
    hasLived: own !== undefined,
    lastWords: heard.lastWords(),
    stdout: heard.stdout(),
    livedMs: performance.now() - startedAt,
  };
}

/**
 * Workers of a daemon that was killed find that out, keep their work and return their tasks. Whoever is
 * started before that sees tasks that somebody has. They are not this process's to end.
 */
export async function untilWorkersEnd(
  project: string,
  folder: string,
  { mostMs, stop }: { readonly mostMs: number; readonly stop: AbortSignal },
): Promise<void> {
  const deadline = performance.now() + mostMs;
  const isAnyoneLeft = (): boolean =>
    readDaemons(project).some(
      (seen) => seen.folder === folder && seen.workers.some(({ life }) => life === "alive"),
    );
  while (isAnyoneLeft() && performance.now() < deadline && !stop.aborted) await wait(LOOK_EVERY_MS);
}

/** No file tells that a process has ended. */
const LOOK_EVERY_MS = 100;

/** What it said last is still on its way when it has ended; whoever else holds that end is not waited for. */
async function untilEnded(child: ChildProcess): Promise<void> {
  const closed = once(child, "close");
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  const enough = new AbortController();
  await Promise.race([closed, wait(LAST_WORDS_MS, undefined, { signal: enough.signal })]);
  enough.abort();
}

const LAST_WORDS_MS = 1_000;

interface Heard {
  readonly stdout: () => string;
  readonly lastWords: () => string;
}

const MAX_HEARD = 1_000_000;

function listen(child: ChildProcess, onError: (text: string) => void): Heard {
  let stdout = "";
  let stderr = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    stdout = `${stdout}${text}`.slice(-MAX_HEARD);
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    stderr = `${stderr}${text}`.slice(-MAX_HEARD);
    onError(text);
  });
  return {
    stdout: () => stdout,
    lastWords: () => errorIn(stdout) ?? lastLines(stderr.trim() === "" ? stdout : stderr),
  };
}

/** Where it was asked to answer as JSON, that says best what was wrong. */
function errorIn(stdout: string): string | undefined {
  try {
    const json = JSON.parse(stdout) as { readonly error?: { readonly message?: unknown } } | null;
    const message = json?.error?.message;
    return typeof message === "string" ? message : undefined;
  } catch {
    return undefined;
  }
}

/** Without the places in the code that Node names when it ends by a fault. */
const lastLines = (text: string): string =>
  text
    .split("\n")
    .filter((line) => line.trim() !== "" && !/^\s+at |^Node\.js v/.test(line))
    .slice(-3)
    .join(" ");

interface Pulse {
  readonly everyMs: number;
  readonly hasStopped: () => boolean;
  /** The daemon's own folder, once it has one. */
  readonly folder: () => string | undefined;
}

/**
 * Its file changes as long as it lives. Only time that was watched counts: when the whole machine was
 * asleep, the daemon could not have changed anything either.
 */
function newPulse(project: string, pid: number | undefined, hangMs: number): Pulse {
  const everyMs = Math.min(Math.max(hangMs / 10, 20), 5_000);
  const startTime = pid === undefined ? undefined : startTimeOf(pid);
  let own: string | undefined;
  let seen = "";
  let silentMs = 0;
  let lookedAt = performance.now();
  return {
    everyMs,
    folder: () => own,
    hasStopped() {
      if (pid !== undefined) own ??= folderOf(project, pid, startTime);
      const now = performance.now();
      silentMs += Math.min(now - lookedAt, 2 * everyMs);
      lookedAt = now;
      const sign = own === undefined ? "" : signOf(join(own, "daemon.json"));
      if (sign !== seen) [seen, silentMs] = [sign, 0];
      return silentMs > hangMs;
    },
  };
}

const signOf = (file: string): string => {
  const stats = ifThere(() => statSync(file, { bigint: true }));
  return stats === undefined ? "" : `${stats.ino} ${stats.mtimeNs} ${stats.size}`;
};

/** Of the daemon that is this very process. */
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
