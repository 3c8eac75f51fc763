// The caller's environment on its way into a session. It goes through a file that only the user can
// read, and that is gone as soon as it is read: on a command line everyone on the machine would see the
// keys in it, and the tmux server would give the session whatever its first caller had.

import { rmSync, writeFileSync } from "node:fs";
import * as z from "zod";
import { WORKER_VARIABLES } from "../../claude/environment.ts";
import { SagaError } from "../../errors.ts";
import { plainEnvironment, type Environment } from "../../machine/processes/environment.ts";
import { diskError, errorCode, readTextIfThere } from "../../machine/files/files.ts";
import { parseJson } from "../../text/parse-json.ts";

const environmentSchema = z.record(z.string(), z.string());

/** Further names are those that the settings let through to agents. */
export function leaveEnvironment(file: string, env: Environment, more: readonly string[]): void {
  const passed = plainEnvironment(env, [...WORKER_VARIABLES, ...more]);
  try {
    writeFileSync(file, JSON.stringify(passed), { mode: 0o600, flag: "wx" });
  } catch (error) {
    // Half of it is as secret as all of it; what was there before is not ours.
    if (errorCode(error) !== "EEXIST") rmSync(file, { force: true });
    throw diskError(error, file);
  }
}

export function takeEnvironment(file: string): Environment {
  const text = readTextIfThere(file);
  rmSync(file, { force: true });
  const parsed = environmentSchema.safeParse(text === undefined ? undefined : parseJson(text));
  if (parsed.success) return parsed.data;
  throw new SagaError("not-found", `There is no environment in ${file}.`, {
    hint: "It is used once. Start the story with `saga run`.",
  });
}
