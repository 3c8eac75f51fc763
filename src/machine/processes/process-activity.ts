// Whether processes use the processor or write. A hung command does neither; a test suite does one of them every few
// minutes.

import { execFileSync } from "node:child_process";
import { programPids } from "./contain.ts";
import { SYSTEM_TOOL_ENV } from "./process-id.ts";
import { processesWith, readProc, type ProcessMark } from "./process-tree.ts";

/** Of one process, including its children that ended. */
export interface Activity {
  readonly cpuMs: number;
  /** To files, pipes and terminals; 0 where the system does not report it. */
  readonly writtenBytes: number;
}

export type Activities = ReadonlyMap<number, Activity>;

export interface ActivityMeter {
  /** Whether they did anything since the last call; on the first call, since they started. */
  readonly wasActive: (sinceMs: number) => boolean;
}

/** Below this share of the time a process is idle: a timer of its runtime, a blinking cursor. */
const IDLE_SHARE = 0.001;

/** Measures all processes with the mark except the agent's own, which is always a little active. */
export function meterActivity(mark: ProcessMark, except: () => number | undefined): ActivityMeter {
  let before: Activities = new Map();
  return {
    wasActive(sinceMs) {
      const now = activitiesOf(mark, except());
      const wasActive = isActive(before, now, sinceMs);
      before = now;
      return wasActive;
    },
  };
}

export function isActive(before: Activities, now: Activities, sinceMs: number): boolean {
  let cpuMs = 0;
  for (const [pid, { cpuMs: used, writtenBytes }] of now) {
    const earlier = before.get(pid);
    if (writtenBytes > (earlier?.writtenBytes ?? 0)) return true;
    cpuMs += Math.max(0, used - (earlier?.cpuMs ?? 0));
  }
  return cpuMs > sinceMs * IDLE_SHARE;
}

function activitiesOf([name, value]: ProcessMark, except: number | undefined): Activities {
  const own = except === undefined ? [] : programPids(except);
  const pids = processesWith(name, value)
    .map(({ pid }) => pid)
    .filter((pid) => !own.includes(pid));
  if (process.platform !== "linux") return new Map(pids.length === 0 ? [] : timesIn(ps(pids)));
  return new Map(
    pids.map((pid) => [
      pid,
      {
        cpuMs: cpuIn(readProc(`/proc/${pid}/stat`)),
        writtenBytes: writtenIn(readProc(`/proc/${pid}/io`)),
      },
    ]),
  );
}

/** Linux counts in hundredths of a second on every platform that Node supports. */
const MS_PER_TICK = 10;
/** utime, stime, cutime and cstime, counted after the name, which may contain spaces and brackets. */
const TIMES = [11, 15] as const;

export const cpuIn = (stat: string): number =>
  stat
    .slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .slice(...TIMES)
    .reduce((sum, ticks) => sum + Number(ticks) * MS_PER_TICK, 0);

export const writtenIn = (io: string): number => Number(/^wchar: (\d+)$/m.exec(io)?.[1] ?? 0);

/** `  501   1:02.34`, or `1-02:03:04`, line by line. */
export const timesIn = (lines: readonly string[]): [pid: number, activity: Activity][] =>
  lines.flatMap((line) => {
    const [pid = "", time = ""] = line.trim().split(/\s+/);
    const [clock = "", days = "0"] = time.split("-").toReversed();
    const seconds = clock.split(":").reduce((sum, part) => sum * 60 + Number(part), 0);
    const cpuMs = (Number(days) * 86_400 + seconds) * 1000;
    return pid === "" || Number.isNaN(cpuMs) ? [] : [[Number(pid), { cpuMs, writtenBytes: 0 }]];
  });

function ps(pids: readonly number[]): string[] {
  const args = ["-o", "pid=", "-o", "time=", "-p", pids.join(",")];
  try {
    return execFileSync("ps", args, { encoding: "utf8", env: SYSTEM_TOOL_ENV }).split("\n");
  } catch {
    // They ended in the meantime.
    return [];
  }
}
