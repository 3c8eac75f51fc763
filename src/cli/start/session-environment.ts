// Passes the caller's environment to a session, through a file that only the user can read and that is deleted when
// read. On a command line every user of the machine could see its keys, and tmux would give the session the
// environment of the process that first started its server.

import { rmSync, writeFileSync } from "node:fs";
import * as z from "zod";
import { WORKER_VARIABLES } from "../../claude/environment.ts";
import { SagaError } from "../../errors.ts";
import { plainEnvironment, type Environment } from "../../machine/processes/environment.ts";
import { diskError, errorCode, readTextIfThere } from "../../machine/files/files.ts";
import { parseJson } from "../../text/parse-json.ts";

const environmentSchema = z.record(z.string(), z.string());

/** `more`: variables that the settings pass to agents. */
export function writeEnvironment(file: string, env: Environment, more: readonly string[]): void {
  const passed = plainEnvironment(env, [...WORKER_VARIABLES, ...more]);
  try {
    writeFileSync(file, JSON.stringify(passed), { mode: 0o600, flag: "wx" });
  } catch (error) {
    // A partly written file holds secrets too. A file that already existed is not ours to delete.
    if (errorCode(error) !== "EEXIST") rmSync(file, { force: true });
    throw diskError(error, file);
  }
}

export function takeEnvironment(file: string): Environment {
  const text = readTextIfThere(file);
  rmSync(file, { force: true });
  const parsed = environmentSchema.safeParse(text === undefined ? undefined : parseJson(text));
  if (parsed.success) return parsed.data;
  throw new SagaError("not-found", `No environment found in ${file}.`, {
    hint: "The file can be read only once. Start the story with `saga run`.",
  });
}
