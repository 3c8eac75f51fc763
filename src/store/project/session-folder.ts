// The folder of session outputs. It is in a place that everyone on the machine can write to, so it
// must be the user's own and closed to others, or it is not used.

import { lstatSync, mkdirSync } from "node:fs";
import { SagaError } from "../../errors.ts";
import type { Environment } from "../../machine/processes/environment.ts";
import { diskError, errorCode, ifThere } from "../../machine/files/files.ts";
import { DEFAULT_SESSION_DIR } from "../../story/definition/names.ts";

export const SESSION_FOLDER_FIX =
  "Run `chmod 700` on it if it is yours, or set SAGA_SESSION_DIR to a folder of your own.";

export const sessionFolderPath = (env: Environment): string =>
  env["SAGA_SESSION_DIR"] || DEFAULT_SESSION_DIR;

/** Creates it when it is not there, and refuses one that others could read or have put there. */
export function openSessionFolder(env: Environment, userId: number | undefined): string {
  const path = sessionFolderPath(env);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw diskError(error, path);
  }
  const fault = sessionFolderFault(path, userId);
  if (fault === undefined) return path;
  throw new SagaError("unsafe-path", `The session folder ${path} ${fault}.`, {
    hint: SESSION_FOLDER_FIX,
  });
}

export function sessionFolderFault(path: string, userId: number | undefined): string | undefined {
  const found = ifThere(() => lstatSync(path));
  if (found === undefined) return undefined;
  if (!found.isDirectory()) return "is not a folder";
  if (userId !== undefined && found.uid !== userId) return "belongs to someone else";
  return (found.mode & 0o077) === 0 ? undefined : "is open to other users";
}
