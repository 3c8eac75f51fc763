// The commands that must succeed before work counts. They are the story's own, written by people, and
// run by `sh -c` in the worktree.

import type { Environment } from "../machine/environment.ts";
import { run } from "../machine/run.ts";

export interface CheckResult {
  readonly command: string;
  readonly isPassed: boolean;
  /** How it ended: `exit 1`, `no end within 600 s`. */
  readonly how: string;
  readonly ms: number;
  /** The end of what it printed. */
  readonly tail: string;
}

export interface CheckPlace {
  readonly cwd: string;
  readonly env: Environment;
  readonly timeoutMs: number;
}

const MAX_TAIL = 4_000;

/** One after the other, and no further than the first that fails. */
export async function runChecks(
  commands: readonly string[],
  place: CheckPlace,
): Promise<readonly CheckResult[]> {
  const results: CheckResult[] = [];
  for (const command of commands) {
    const result = await runCheck(command, place);
    results.push(result);
    if (!result.isPassed) break;
  }
  return results;
}

async function runCheck(
  command: string,
  { cwd, env, timeoutMs }: CheckPlace,
): Promise<CheckResult> {
  const from = performance.now();
  const result = await run("sh", ["-c", command], { cwd, env, timeoutMs });
  const ms = Math.round(performance.now() - from);
  const output = result.kind === "missing" ? "" : `${result.stdout}${result.stderr}`;
  const tail = output.trimEnd().slice(-MAX_TAIL);
  switch (result.kind) {
    case "exited":
      return { command, isPassed: result.exitCode === 0, how: `exit ${result.exitCode}`, ms, tail };
    case "timed-out":
      return { command, isPassed: false, how: `no end within ${timeoutMs / 1000} s`, ms, tail };
    case "killed":
      return { command, isPassed: false, how: `ended by ${result.signal}`, ms, tail };
    case "missing":
      return { command, isPassed: false, how: "no shell to run it", ms, tail };
  }
}
