// Who a process is, beyond its number: numbers are used again, at the latest after a restart.

import { readFileSync, readlinkSync } from "node:fs";

export interface ProcessId {
  readonly pid: number;
  /** When it started, in the system's own unit; with the pid it is unique within a boot. */
  readonly startTime: string;
  readonly bootId: string;
  /** Machine and process namespace: a pid of another place says nothing here. */
  readonly place: string;
}

/** `unknown`: it lives, or lived, where this process cannot look. */
export type Life = "alive" | "dead" | "unknown";

let own: ProcessId | undefined;

export function thisProcess(): ProcessId {
  own ??= {
    pid: process.pid,
    startTime: startTimeOf(process.pid) ?? "",
    bootId: readBootId(),
    place: readPlace(),
  };
  return own;
}

export function lifeOf(other: ProcessId): Life {
  const here = thisProcess();
  if (other.place !== here.place) return "unknown";
  if (other.bootId !== here.bootId) return "dead";
  return startTimeOf(other.pid) === other.startTime ? "alive" : "dead";
}

export const isThisProcess = ({ pid, startTime, bootId, place }: ProcessId): boolean => {
  const here = thisProcess();
  return (
    pid === here.pid &&
    startTime === here.startTime &&
    bootId === here.bootId &&
    place === here.place
  );
};

export const startTimeOf = (pid: number, platform = process.platform): string | undefined =>
  platform === "linux"
    ? linuxStartTime(pid)
    : startTimeIn(ask("ps", ["-o", "stat=", "-o", "lstart=", "-p", String(pid)]));

function linuxStartTime(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name in the second field may hold spaces and brackets: count from its last bracket.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const isZombie = fields[0] === "Z" || fields[0] === "X";
    return isZombie ? undefined : fields[19];
  } catch (error) {
    // Only what is certainly gone is gone: too many open files, say, proves nothing.
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "ENOENT" || code === "ESRCH") return undefined;
    throw error;
  }
}

/** `S+   Sun Nov 16 10:15:06 2025`, as Apple's `ps` and others have it; nothing of what is gone or only waits to be. */
export const startTimeIn = (line: string): string | undefined =>
  /^[^\sZ]\S*\s+(.+)/.exec(line)?.[1];

function readBootId(): string {
  if (process.platform === "linux") {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  }
  return ask("sysctl", ["-n", "kern.bootsessionuuid"]);
}

function readPlace(): string {
  const host = process.getBuiltinModule("node:os").hostname();
  if (process.platform === "linux") return `${host}/${readlinkSync("/proc/self/ns/pid")}`;
  return machineIn(ask("ioreg", ["-rd1", "-c", "IOPlatformExpertDevice"])) ?? host;
}

/** A Mac is called differently in every network: its own number stays. */
export const machineIn = (registry: string): string | undefined =>
  /"IOPlatformUUID" = "(.+?)"/.exec(registry)?.[1];

/** Nothing when the answer is no; a question that could not be asked proves nothing, and is an error. */
function ask(program: string, args: readonly string[]): string {
  // Loaded where it is needed: it is a seventh of all that starting a hook script costs.
  const { execFileSync } = process.getBuiltinModule("node:child_process");
  try {
    return execFileSync(program, args, { encoding: "utf8", stdio: "pipe", env: ASKING }).trim();
  } catch (error) {
    if ((error as { status?: unknown }).status) return "";
    throw error;
  }
}

/** Where these programs are, and the same words wherever a traveller's clock is set to. */
export const ASKING = { PATH: "/usr/bin:/bin:/usr/sbin:/sbin", LC_ALL: "C", TZ: "UTC" } as const;
