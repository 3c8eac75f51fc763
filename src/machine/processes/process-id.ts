// Identifies a process beyond its pid: pids are reused, at the latest after a restart.

import { readFileSync, readlinkSync } from "node:fs";

export interface ProcessId {
  readonly pid: number;
  /** In the system's own unit; with the pid it is unique within a boot. */
  readonly startTime: string;
  readonly bootId: string;
  /** Machine and process namespace: a pid means nothing outside of them. */
  readonly place: string;
}

export function isProcessId(value: unknown): value is ProcessId {
  const { pid, startTime, bootId, place } = (value ?? {}) as Partial<Record<string, unknown>>;
  const areTexts = [startTime, bootId, place].every((one) => typeof one === "string");
  return Number.isInteger(pid) && Number(pid) > 0 && areTexts;
}

/** `unknown`: in a container or on a machine that this process cannot see. */
export type Liveness = "alive" | "dead" | "unknown";

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

export function livenessOf(other: ProcessId): Liveness {
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
    : startTimeIn(toolOutput("ps", ["-o", "stat=", "-o", "lstart=", "-p", String(pid)]));

function linuxStartTime(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name in the second field may contain spaces and brackets: count from its last bracket.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const isZombie = fields[0] === "Z" || fields[0] === "X";
    return isZombie ? undefined : fields[19];
  } catch (error) {
    // Any other error, like too many open files, does not prove that the process is gone.
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "ENOENT" || code === "ESRCH") return undefined;
    throw error;
  }
}

/** From `S+   Sun Nov 16 10:15:06 2025`, as Apple's `ps` and others print it. Undefined for a zombie or no process. */
export const startTimeIn = (line: string): string | undefined =>
  /^[^\sZ]\S*\s+(.+)/.exec(line)?.[1];

function readBootId(): string {
  if (process.platform === "linux") {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  }
  return toolOutput("sysctl", ["-n", "kern.bootsessionuuid"]);
}

function readPlace(): string {
  const host = process.getBuiltinModule("node:os").hostname();
  if (process.platform === "linux") return `${host}/${readlinkSync("/proc/self/ns/pid")}`;
  return machineIn(toolOutput("ioreg", ["-rd1", "-c", "IOPlatformExpertDevice"])) ?? host;
}

/** A Mac's host name changes with the network; its hardware id does not. */
export const machineIn = (registry: string): string | undefined =>
  /"IOPlatformUUID" = "(.+?)"/.exec(registry)?.[1];

/** Empty when the program exits with an error; throws when it could not be run, which proves nothing. */
function toolOutput(program: string, args: readonly string[]): string {
  // Loaded lazily: it is a seventh of a hook script's start-up time.
  const { execFileSync } = process.getBuiltinModule("node:child_process");
  try {
    return execFileSync(program, args, {
      encoding: "utf8",
      stdio: "pipe",
      env: SYSTEM_TOOL_ENV,
    }).trim();
  } catch (error) {
    if ((error as { status?: unknown }).status) return "";
    throw error;
  }
}

/** Environment for system tools: fixed paths, and output in one language and time zone. */
export const SYSTEM_TOOL_ENV = {
  PATH: "/usr/bin:/bin:/usr/sbin:/sbin",
  LC_ALL: "C",
  TZ: "UTC",
} as const;
