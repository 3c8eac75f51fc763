// Removes temporary files whose writer is gone.

import { readdirSync, rmSync, statSync } from "node:fs";
import { ifThere } from "./files.ts";

/** They are renamed within milliseconds; after an hour their writer is gone. */
const STALE_FILE_MS = 60 * 60_000;

/** `temporary`: matches the names of such files. */
export function removeStaleFiles(folder: string, temporary: RegExp): void {
  for (const name of ifThere(() => readdirSync(folder)) ?? []) {
    if (!temporary.test(name)) continue;
    const path = `${folder}/${name}`;
    const stat = ifThere(() => statSync(path));
    if (stat && Date.now() - stat.mtimeMs > STALE_FILE_MS) rmSync(path, { force: true });
  }
}
