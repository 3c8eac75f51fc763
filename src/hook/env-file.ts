// The file whose lines every shell of a session runs first: how Saga's variables reach the agent's
// commands. (They do not reach other hooks.)

import { appendFileSync, readFileSync } from "node:fs";
import { ifThere } from "../machine/files.ts";

type Variables = Readonly<Record<string, string | undefined>>;

/** A session that goes on, or is compacted, starts again with the same file. */
export function writeEnvFile(file: string, variables: Variables): void {
  const lines = envLines(variables);
  if (ifThere(() => readFileSync(file, "utf8"))?.endsWith(lines)) return;
  appendFileSync(file, lines);
}

/** What has no value is taken away: another story's must not shine through. */
export const envLines = (variables: Variables): string =>
  Object.entries(variables)
    .map(([name, value]) =>
      value === undefined ? `unset ${name}\n` : `export ${name}=${quoted(value)}\n`,
    )
    .join("");

/** Between single quotes a shell reads everything as it stands, but for the quote itself. */
const quoted = (value: string): string => `'${value.replaceAll("'", String.raw`'\''`)}'`;
