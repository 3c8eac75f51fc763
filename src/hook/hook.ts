// What every hook script does before and after its own work. Claude Code starts it for a session that
// a person has open. It must never break that session: outside of Saga projects, and inside Saga's own
// workers, which have the same functions in their process, it ends at once, and a fault of its own is
// told on stderr and stops nothing.

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

/** What Claude Code reads from stdout; nothing means: go on. */
export type HookAnswer = Readonly<Record<string, unknown>> | undefined;

type Answer = (call: HookCall) => HookAnswer | Promise<HookAnswer>;

/** Refuses what the agent is about to do; any other code lets it pass. */
const REFUSED = 2;
const FAILED = 1;

/** What cannot be read cannot be judged: a guard that let it pass would not be one. */
export const runGuard = (answer: Answer): Promise<void> => runHook(answer, REFUSED);

export async function runHook(answer: Answer, unreadable = FAILED): Promise<void> {
  const { env } = process;
  // The script that calls this is not read to its end yet.
  await Promise.resolve();
  let failure = FAILED;
  try {
    const place = env[RUN_MARK] === undefined ? placeOfSession(env) : undefined;
    failure = unreadable;
    const input = place && readInput();
    failure = FAILED;
    const said = place && input && (await answer({ input, place, env }));
    // Straight to the file: the stream alone would cost a tenth of the whole start.
    if (said !== undefined) writeSync(1, JSON.stringify(said));
  } catch (error) {
    writeSync(2, `Saga's hook could not do its work: ${messageOf(error)}\n`);
    process.exitCode = failure;
  }
  // All is said and done: left to itself, Node would first put everything away.
  process.exit();
}

/** The tool does not run; the agent is told why. */
export const denial = (reason: string): HookAnswer => ({
  hookSpecificOutput: {
    hookEventName: "PreToolUse",
    permissionDecision: "deny",
    permissionDecisionReason: reason,
  },
});

/** Where it was started counts: an agent's `cd` does not take it out of its story. */
function placeOfSession(env: Environment): SessionLocation | undefined {
  for (const folder of [env["CLAUDE_PROJECT_DIR"], ifThere(() => process.cwd())]) {
    const place = folder ? sessionLocation(folder, env) : undefined;
    if (place !== undefined) return place;
  }
  return undefined;
}

function readInput(): Record<string, unknown> {
  // A byte order mark in front is no part of it.
  const input: unknown = JSON.parse(readAll().replace("\uFEFF", ""));
  if (input instanceof Object && !Array.isArray(input)) return input as Record<string, unknown>;
  throw new Error("its input is not an object");
}

/** A pipe that is empty for a moment is not at its end, and what came before is kept. */
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

/** Most calls are shorter; a file that is written may be long. */
const USUAL_BYTES = 8192;

function readSome(buffer: Buffer, from: number): number | undefined {
  try {
    return readSync(0, buffer, from, buffer.length - from, null);
  } catch (error) {
    if (errorCode(error) === "EAGAIN") return undefined;
    throw error;
  }
}

/** Short: an agent's tool waits. */
const pause = (): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
