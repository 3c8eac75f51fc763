import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { Environment } from "./environment.ts";

/** The first program of that name on PATH. */
export function findProgram(name: string, env: Environment): string | undefined {
  for (const folder of (env["PATH"] ?? "").split(delimiter)) {
    const path = join(folder, name);
    if (folder !== "" && isProgram(path)) return path;
  }
  return undefined;
}

export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
