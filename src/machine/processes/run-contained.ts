// Runs one of the project's own programs (a check, a set-up) at low priority, and ends everything that it started,
// including processes that left its session and lost their parents.

import { randomUUID } from "node:crypto";
import { containedCommand } from "./contain.ts";
import { startTimeOf } from "./process-id.ts";
import {
  endMarkedProcesses,
  processTree,
  type KnownProcess,
  type ProcessMark,
} from "./process-tree.ts";
import { run, type RunRequest, type ProgramResult } from "./run.ts";

/** Marks everything that the program starts. */
const MARK_VARIABLE = "SAGA_CHECK_ID";
const GRACE_MS = 2_000;
/** Less than `run`'s grace: its SIGKILL would hit the supervisor. */
const CONTAINED_GRACE_MS = 1_200;

export async function runContained(
  program: string,
  args: readonly string[],
  request: Omit<RunRequest, "onEnding" | "isLowPriority">,
): Promise<ProgramResult> {
  const mark: ProcessMark = [MARK_VARIABLE, randomUUID()];
  const [name, value] = mark;
  let below: readonly KnownProcess[] = [];
  const env = { ...request.env, [name]: value };
  const started = containedCommand({ program, args, env }, { graceMs: CONTAINED_GRACE_MS });
  const result = await run(started.program, started.args, {
    ...request,
    isLowPriority: true,
    env: started.env,
    // A process that cleared its environment can only be found by its parents, while they live.
    onEnding: (pid) => {
      below = treeBelow(pid);
    },
  });
  await endMarkedProcesses(mark, below, { graceMs: GRACE_MS });
  return result;
}

function treeBelow(pid: number): KnownProcess[] {
  const startTime = startTimeOf(pid);
  return startTime === undefined ? [] : processTree({ pid, startTime });
}
