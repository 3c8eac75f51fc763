// Where Saga keeps what is the person's on this machine and no project's.

import { chmodSync, mkdirSync, realpathSync, statSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { SagaError } from "../../errors.ts";
import type { Environment } from "../processes/environment.ts";
import { diskError, errorCode, makeFolder } from "./files.ts";

export function stateFolder(env: Environment): string {
  const given = env["XDG_STATE_HOME"] ?? "";
  // The convention says that any other is to be passed over.
  return join(isAbsolute(given) ? given : join(homeOf(env), ".local", "state"), "saga");
}

/** Hook scripts ask as well, and do not load what is hardly ever needed. */
const homeOf = (env: Environment): string =>
  env["HOME"] || process.getBuiltinModule("node:os").homedir();

/** With its links followed, as scopes compare places. */
export function realStateFolder(env: Environment): string {
  const path = stateFolder(env);
  try {
    return realpathSync.native(path);
  } catch {
    // Not there yet, or not to be had.
    return path;
  }
}

/** Made when it is not there, and closed to others; someone else's is refused. */
export function openStateFolder(env: Environment, userId = process.getuid?.()): string {
  const path = stateFolder(env);
  makeFolder(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw diskError(error, path);
  }
  const { uid, mode } = statSync(path);
  if (userId !== undefined && uid !== userId) {
    throw new SagaError("unsafe-path", `The folder ${path} belongs to someone else.`, {
      hint: "Move it away, or set XDG_STATE_HOME to a folder of your own.",
    });
  }
  if ((mode & 0o077) !== 0) chmodSync(path, 0o700);
  return path;
}
