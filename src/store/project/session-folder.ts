// The folder of session outputs. It is in a folder that every user of the machine can write to, so it must belong to
// this user and be closed to others.

import { lstatSync, mkdirSync } from "node:fs";
import { SagaError } from "../../errors.ts";
import type { Environment } from "../../machine/processes/environment.ts";
import { diskError, errorCode, ifThere } from "../../machine/files/files.ts";
import { DEFAULT_SESSION_DIR } from "../../story/definition/names.ts";

export const SESSION_FOLDER_FIX =
  "If the folder is yours, run `chmod 700` on it; otherwise set SAGA_SESSION_DIR to another folder.";

export const sessionFolderPath = (env: Environment): string =>
  env["SAGA_SESSION_DIR"] || DEFAULT_SESSION_DIR;

/** Creates the folder if needed. Refuses one that other users can read or may have created. */
export function openSessionFolder(env: Environment, userId: number | undefined): string {
  const path = sessionFolderPath(env);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw diskError(error, path);
  }
  const problem = sessionFolderProblem(path, userId);
  if (problem === undefined) return path;
  throw new SagaError("unsafe-path", `The session folder ${path} ${problem}.`, {
    hint: SESSION_FOLDER_FIX,
  });
}

export function sessionFolderProblem(path: string, userId: number | undefined): string | undefined {
  const found = ifThere(() => lstatSync(path));
  if (found === undefined) return undefined;
  if (!found.isDirectory()) return "is not a folder";
  if (userId !== undefined && found.uid !== userId) return "belongs to another user";
  return (found.mode & 0o077) === 0 ? undefined : "is open to other users";
}
