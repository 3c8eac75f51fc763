// A long program with pipes, and all that it starts: in a container where the platform has one, with low priority, and
// found by a mark in the environment if it is not.

import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { containedCommand } from "./contain.ts";
import { lowerPriority } from "./priority.ts";
import { startTimeOf, thisProcess, type ProcessId } from "./process-id.ts";
import { endMarkedProcesses, processTree, type ProcessMark } from "./process-tree.ts";

export interface MarkedCommand {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** One of `env`. */
  readonly mark: ProcessMark;
}

export interface MarkedProcess {
  readonly child: ChildProcessWithoutNullStreams;
  /** Undefined if it could not be started. */
  readonly id: ProcessId | undefined;
  /** Ends it and all that it started. */
  readonly end: () => Promise<void>;
  /** Waits for its own end, not for long, and ends what it left running. */
  readonly settled: () => Promise<void>;
}

/** An agent such as Claude Code needs up to 1.6 s to end its children and itself. */
const GRACE_MS = 5_000;
/** Shorter: when the program is killed, its container ends with it. */
const CONTAINED_GRACE_MS = 3_500;

export function startMarked({ program, args, cwd, env, mark }: MarkedCommand): MarkedProcess {
  const contained = containedCommand({ program, args, env }, { graceMs: CONTAINED_GRACE_MS });
  // In a separate process group: the caller decides about signals from the terminal.
  const child = spawn(contained.program, [...contained.args], {
    cwd,
    env: contained.env,
    stdio: ["pipe", "pipe", "pipe"],
    detached: true,
  });
  // At once: processes that it starts before keep the normal priority.
  lowerPriority(child.pid);
  const id = identify(child.pid);
  let isEnding: Promise<void> | undefined;
  const end = (): Promise<void> =>
    (isEnding ??= endMarkedProcesses(mark, id ? processTree(id) : [], { graceMs: GRACE_MS }));
  return {
    child,
    id,
    end,
    async settled() {
      if (child.pid === undefined) return;
      const hasExited = child.exitCode !== null || child.signalCode !== null;
      const timer = setTimeout(() => void end(), GRACE_MS);
      if (!hasExited) await once(child, "exit");
      clearTimeout(timer);
      await end();
    },
  };
}

function identify(pid: number | undefined): ProcessId | undefined {
  const startTime = pid === undefined ? undefined : startTimeOf(pid);
  return pid === undefined || startTime === undefined
    ? undefined
    : { ...thisProcess(), pid, startTime };
}
