// What every hook script does before and after its own work. Claude Code starts it in a person's session, and it
// must never break that session. Outside of Saga projects, and in Saga's workers (which have the same hooks in
// their process), it ends at once. Its own errors go to stderr and stop nothing.

import { readSync, writeSync } from "node:fs";
import { messageOf } from "../errors.ts";
import type { Environment } from "../machine/processes/environment.ts";
import { errorCode, ifThere } from "../machine/files/files.ts";
import { RUN_MARK } from "../story/definition/names.ts";
import { sessionLocation, type SessionLocation } from "../store/hook/session-location.ts";

export interface HookCall {
  /** As Claude Code sends it. */
  readonly input: Readonly<Record<string, unknown>>;
  readonly place: SessionLocation;
  readonly env: Environment;
}

/** What Claude Code reads from stdout; undefined means: continue. */
export type HookAnswer = Readonly<Record<string, unknown>> | undefined;

type Answer = (call: HookCall) => HookAnswer | Promise<HookAnswer>;

/** This exit code refuses what the agent is about to do; any other code allows it. */
const REFUSED = 2;
const FAILED = 1;

/** For guards: input that cannot be read cannot be judged, and is refused. */
export const runGuard = (answer: Answer): Promise<void> => runHook(answer, REFUSED);

export async function runHook(answer: Answer, unreadable = FAILED): Promise<void> {
  const { env } = process;
  // Lets the calling script load to its end first.
  await Promise.resolve();
  let failure = FAILED;
  try {
    const place = env[RUN_MARK] === undefined ? placeOfSession(env) : undefined;
    failure = unreadable;
    const input = place && readInput();
    failure = FAILED;
    const output = place && input && (await answer({ input, place, env }));
    // Not through process.stdout: creating that stream would take a tenth of the script's time.
    if (output !== undefined) writeSync(1, JSON.stringify(output));
  } catch (error) {
    writeSync(2, `Saga's hook failed: ${messageOf(error)}\n`);
    process.exitCode = failure;
  }
  // Exits at once: Node would take time to clean up first.
  process.exit();
}

/** The tool does not run; the agent reads why. */
export const denial = (reason: string): HookAnswer => ({
  hookSpecificOutput: {
    hookEventName: "PreToolUse",
    permissionDecision: "deny",
    permissionDecisionReason: reason,
  },
});

/** The folder that the session started in counts: an agent's `cd` does not leave its story. */
function placeOfSession(env: Environment): SessionLocation | undefined {
  for (const folder of [env["CLAUDE_PROJECT_DIR"], ifThere(() => process.cwd())]) {
    const place = folder ? sessionLocation(folder, env) : undefined;
    if (place !== undefined) return place;
  }
  return undefined;
}

function readInput(): Record<string, unknown> {
  // Ignores a byte order mark.
  const input: unknown = JSON.parse(readAll().replace("\uFEFF", ""));
  if (input instanceof Object && !Array.isArray(input)) return input as Record<string, unknown>;
  throw new Error("the input is not an object");
}

/** A pipe that is empty for a moment is not at its end. */
function readAll(): string {
  let buffer = Buffer.allocUnsafe(USUAL_BYTES);
  let end = 0;
  for (;;) {
    const length = readSome(buffer, end);
    if (length === 0) return buffer.toString("utf8", 0, end);
    if (length === undefined) pause();
    else if ((end += length) === buffer.length) {
      buffer = Buffer.concat([buffer], buffer.length * 4);
    }
  }
}

/** Most inputs are shorter; a file to write may be long. */
const USUAL_BYTES = 8192;

function readSome(buffer: Buffer, from: number): number | undefined {
  try {
    return readSync(0, buffer, from, buffer.length - from, null);
  } catch (error) {
    if (errorCode(error) === "EAGAIN") return undefined;
    throw error;
  }
}

/** Short, because the agent's tool waits. */
const pause = (): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
