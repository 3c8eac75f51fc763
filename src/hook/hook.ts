// What every hook script does before and after its own work. Claude Code starts it for a session that
// a person has open. It must never break that session: outside of Saga projects, and inside Saga's own
// workers, which have the same functions in their process, it ends at once, and a fault of its own is
// told on stderr and stops nothing.

import { readFileSync, writeSync } from "node:fs";
import { messageOf } from "../errors.ts";
import { errorCode } from "../machine/files.ts";
import { RUN_MARK } from "../story/names.ts";
import { surroundingsOf, type Surroundings } from "../store/surroundings.ts";

type Environment = Readonly<Record<string, string | undefined>>;

export interface HookCall {
  /** As Claude Code sends it. */
  readonly input: Readonly<Record<string, unknown>>;
  readonly place: Surroundings;
  readonly env: Environment;
}

/** What Claude Code reads from stdout; nothing means: go on. */
export type HookAnswer = Readonly<Record<string, unknown>> | undefined;

export async function runHook(
  answer: (call: HookCall) => HookAnswer | Promise<HookAnswer>,
): Promise<void> {
  const { env } = process;
  // The script that calls this is not read to its end yet.
  await Promise.resolve();
  try {
    const place = env[RUN_MARK] === undefined ? placeOfSession(env) : undefined;
    if (place === undefined) return;
    const said = await answer({ input: readInput(), place, env });
    // Straight to the file: the stream alone would cost a tenth of the whole start.
    if (said !== undefined) writeSync(1, JSON.stringify(said));
  } catch (error) {
    writeSync(2, `Saga's hook could not do its work: ${messageOf(error)}\n`);
    // Not 2, which would refuse what the agent is about to do.
    process.exitCode = 1;
  }
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
const placeOfSession = (env: Environment): Surroundings | undefined =>
  surroundingsOf(env["CLAUDE_PROJECT_DIR"] || process.cwd(), env) ??
  surroundingsOf(process.cwd(), env);

function readInput(): Record<string, unknown> {
  const input: unknown = JSON.parse(readAll());
  if (typeof input === "object" && input !== null) return input as Record<string, unknown>;
  throw new Error("its input is no object");
}

/** A pipe that is empty for a moment is not at its end. */
function readAll(): string {
  for (;;) {
    try {
      return readFileSync(0, "utf8");
    } catch (error) {
      if (errorCode(error) !== "EAGAIN") throw error;
    }
  }
}
