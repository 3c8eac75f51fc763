// The file whose lines every shell of a session runs first: how Saga's variables reach the agent's
// commands. (They do not reach other hooks.)

import { appendFileSync, existsSync, readFileSync } from "node:fs";
import type { Environment } from "../machine/processes/environment.ts";

/** A session that goes on, or is compacted, starts again with the same file. */
export function writeEnvFile(file: string, variables: Environment): void {
  const lines = envLines(variables);
  const before = existsSync(file) ? readFileSync(file, "utf8") : "";
  if (before.endsWith(lines)) return;
  // Whoever wrote before may have left the last line open.
  appendFileSync(file, before === "" || before.endsWith("\n") ? lines : `\n${lines}`);
}

/** What has no value is taken away: another story's must not shine through. */
export const envLines = (variables: Environment): string =>
  Object.entries(variables)
    .map(([name, value]) =>
      value === undefined ? `unset ${name}\n` : `export ${name}=${quoted(value)}\n`,
    )
    .join("");

/** Between single quotes a shell reads everything as it stands, but for the quote itself. */
const quoted = (value: string): string => `'${value.replaceAll("'", String.raw`'\''`)}'`;
