// A program that leaves nothing behind: however it ends, what it has started ends with it, also what has a
// session of its own by then and no parent any more. It is the project's own, a check or a set-up, and may
// take all that the machine has: behind everyone else.

import { randomUUID } from "node:crypto";
import { contained } from "./contain.ts";
import { startTimeOf } from "./process-id.ts";
import { endMarked, treeOf, type KnownProcess, type Mark } from "./process-tree.ts";
import { run, type RunRequest, type RunResult } from "./run.ts";

/** The variable by which all that such a program has started is known, and ended with it. */
const WHOLE_MARK = "SAGA_CHECK_ID";
const GRACE_MS = 2_000;
/** Less than `run` gives before it ends the program hard, and its container with it. */
const CONTAINED_GRACE_MS = 1_200;

export async function runWhole(
  program: string,
  args: readonly string[],
  request: Omit<RunRequest, "onEnding" | "isBehind">,
): Promise<RunResult> {
  const mark: Mark = [WHOLE_MARK, randomUUID()];
  const [name, value] = mark;
  let below: readonly KnownProcess[] = [];
  const env = { ...request.env, [name]: value };
  const started = contained({ program, args, env }, { graceMs: CONTAINED_GRACE_MS });
  const result = await run(started.program, started.args, {
    ...request,
    isBehind: true,
    env: started.env,
    // Who has cleared its environment is known by its parents alone, as long as it has them.
    onEnding: (pid) => {
      below = familyOf(pid);
    },
  });
  await endMarked(mark, below, { graceMs: GRACE_MS });
  return result;
}

function familyOf(pid: number): KnownProcess[] {
  const startTime = startTimeOf(pid);
  return startTime === undefined ? [] : treeOf({ pid, startTime });
}
