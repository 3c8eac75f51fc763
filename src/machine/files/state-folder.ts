// The folder for what belongs to the user on this machine, and to no project.

import { chmodSync, mkdirSync, realpathSync, statSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { SagaError } from "../../errors.ts";
import type { Environment } from "../processes/environment.ts";
import { diskError, errorCode, makeFolder } from "./files.ts";

export function stateFolder(env: Environment): string {
  const given = env["XDG_STATE_HOME"] ?? "";
  // The XDG convention ignores relative paths.
  return join(isAbsolute(given) ? given : join(homeOf(env), ".local", "state"), "saga");
}

/** `node:os` is loaded lazily: hook scripts use this too, and must start fast. */
const homeOf = (env: Environment): string =>
  env["HOME"] || process.getBuiltinModule("node:os").homedir();

/** With links followed, as scopes compare paths. */
export function realStateFolder(env: Environment): string {
  const path = stateFolder(env);
  try {
    return realpathSync.native(path);
  } catch {
    // Does not exist yet, or is not accessible.
    return path;
  }
}

/** Creates it if needed, and closes it to other users. Refuses another user's folder. */
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
    throw new SagaError("unsafe-path", `The folder ${path} belongs to another user.`, {
      hint: "Move it away, or set XDG_STATE_HOME to a folder of your own.",
    });
  }
  if ((mode & 0o077) !== 0) chmodSync(path, 0o700);
  return path;
}
