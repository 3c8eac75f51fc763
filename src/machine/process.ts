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

export function startTimeOf(pid: number): string | undefined {
  return process.platform === "linux" ? linuxStartTime(pid) : otherStartTime(pid);
}

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

function otherStartTime(pid: number): string | undefined {
  const line = ask("ps", ["-o", "stat=,lstart=", "-p", String(pid)]);
  return line === undefined || line.startsWith("Z") ? undefined : line.replace(/^\S+\s+/, "");
}

function readBootId(): string {
  if (process.platform === "linux") {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  }
  return ask("sysctl", ["-n", "kern.bootsessionuuid"]) ?? "";
}

function readPlace(): string {
  const host = process.getBuiltinModule("node:os").hostname();
  if (process.platform !== "linux") return host;
  return `${host}/${readlinkSync("/proc/self/ns/pid")}`;
}

function ask(program: string, args: readonly string[]): string | undefined {
  try {
    // Loaded where it is needed: it is a seventh of all that starting a hook script costs.
    const { execFileSync } = process.getBuiltinModule("node:child_process");
    const answer = execFileSync(program, args, {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
      env: { PATH: process.env["PATH"], LC_ALL: "C" },
    });
    return answer.trim() || undefined;
  } catch {
    return undefined;
  }
}
