// Runs the commands that must succeed before work counts. People write them in the story; they run with `sh -c` in the
// worktree.

import { createHash } from "node:crypto";
import { stoppedError } from "../errors.ts";
import type { Environment } from "../machine/processes/environment.ts";
import { runContained } from "../machine/processes/run-contained.ts";

export interface CheckResult {
  readonly command: string;
  readonly isPassed: boolean;
  /** How it ended: `exit 1`, `did not finish within 600 s`. */
  readonly how: string;
  readonly exitCode?: number | undefined;
  /** SHA-256 of the whole output. */
  readonly outputHash: string;
  readonly ms: number;
  /** The end of the output. */
  readonly tail: string;
}

export interface CheckPlace {
  readonly cwd: string;
  readonly env: Environment;
  readonly timeoutMs: number;
  /** A check that is stopped has neither passed nor failed. */
  readonly stop?: AbortSignal | undefined;
  /** The output as it comes. */
  readonly onOutput?: ((chunk: Buffer) => void) | undefined;
}

const MAX_TAIL = 4_000;
/** Kept per stream, so that a flood of output costs no memory. */
const MAX_KEPT_BYTES = 64_000;

/** Runs them in order up to the first that fails. Throws when it is stopped. */
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
  { cwd, env, timeoutMs, stop, onOutput }: CheckPlace,
): Promise<CheckResult> {
  if (stop?.aborted) throw stoppedError();
  const from = performance.now();
  const hash = createHash("sha256");
  const result = await runContained("sh", ["-c", command], {
    cwd,
    env,
    timeoutMs,
    stop,
    maxOutputBytes: MAX_KEPT_BYTES,
    onOutput(chunk) {
      hash.update(chunk);
      onOutput?.(chunk);
    },
  });
  // A stop also shows up as killed or timed out.
  if (stop?.aborted && result.kind !== "exited") throw stoppedError();
  const ms = Math.round(performance.now() - from);
  const output = result.kind === "missing" ? "" : `${result.stdout}${result.stderr}`;
  const ended = {
    command,
    isPassed: result.kind === "exited" && result.exitCode === 0,
    ms,
    outputHash: hash.digest("hex"),
    tail: output.trimEnd().slice(-MAX_TAIL),
  };
  switch (result.kind) {
    case "exited":
      return { ...ended, how: `exit ${result.exitCode}`, exitCode: result.exitCode };
    case "timed-out":
      return { ...ended, how: `did not finish within ${timeoutMs / 1000} s` };
    case "killed":
      return { ...ended, how: `killed by ${result.signal}` };
    case "missing":
      return { ...ended, how: "no shell to run it" };
  }
}
