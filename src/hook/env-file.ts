// The file that every shell of a session runs first. Saga's variables reach the agent's commands through it, but
// not other hooks.

import { appendFileSync, existsSync, readFileSync } from "node:fs";
import type { Environment } from "../machine/processes/environment.ts";

/** A session that is resumed or compacted starts again with the same file. */
export function writeEnvFile(file: string, variables: Environment): void {
  const lines = envLines(variables);
  const before = existsSync(file) ? readFileSync(file, "utf8") : "";
  if (before.endsWith(lines)) return;
  // An earlier writer may have left the last line without a line break.
  appendFileSync(file, before === "" || before.endsWith("\n") ? lines : `\n${lines}`);
}

/** A variable without a value is unset: another story's value must not remain. */
export const envLines = (variables: Environment): string =>
  Object.entries(variables)
    .map(([name, value]) =>
      value === undefined ? `unset ${name}\n` : `export ${name}=${quoted(value)}\n`,
    )
    .join("");

/** Between single quotes a shell takes everything literally, except the quote itself. */
const quoted = (value: string): string => `'${value.replaceAll("'", String.raw`'\''`)}'`;
