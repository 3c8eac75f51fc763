// The commands behind the hashes that rows of a lane hold, as far as this machine knows them: those that it ran, or that
// its own entries bring. A file beside the lane's others; if it is lost, people see the hashes.

import { join } from "node:path";
import * as z from "zod";
import { makeFolder, readTextIfThere, replaceFile } from "../../machine/files/files.ts";
import { queueFolder, type Layout } from "../../store/project/layout.ts";
import { makeIgnoredFolder } from "../../store/write/ignored-folder.ts";
import { parseJson } from "../../text/parse-json.ts";
import { keyOfCheck } from "./lane-rows.ts";

export interface CheckNames {
  readonly learn: (commands: readonly string[]) => void;
  /** The command, or its hash. */
  readonly nameOf: (key: string) => string;
}

const fileSchema = z.record(z.string(), z.string());
/** Checks that are not used any more go first. */
const MAX_NAMES = 200;

export function openCheckNames(at: Layout): CheckNames {
  const file = join(queueFolder(at), "checks.json");
  const read = (): Readonly<Record<string, string>> =>
    fileSchema.safeParse(parseJson(readTextIfThere(file) ?? "")).data ?? {};
  let known: Readonly<Record<string, string>> | undefined;
  return {
    learn(commands) {
      known ??= read();
      const missing = commands.filter((command) => known?.[keyOfCheck(command)] !== command);
      if (missing.length === 0) return;
      const added = missing.map((command) => [keyOfCheck(command), command] as const);
      const all = [...Object.entries(read()), ...added];
      known = Object.fromEntries(all.slice(-MAX_NAMES));
      makeIgnoredFolder(queueFolder(at));
      makeFolder(queueFolder(at));
      replaceFile(file, `${JSON.stringify(known)}\n`);
    },
    nameOf(key) {
      known ??= read();
      // Another process of this machine may have learned it.
      if (known[key] === undefined) known = { ...known, ...read() };
      return known[key] ?? key;
    },
  };
}
