import { existsSync } from "node:fs";
import { join } from "node:path";
import { makeFolder, writeDurably } from "../../machine/files/files.ts";

/** A folder of live state with a .gitignore of its own: the project's may be older than the folder. */
export function makeIgnoredFolder(folder: string): void {
  makeFolder(folder);
  const ignore = join(folder, ".gitignore");
  if (!existsSync(ignore)) writeDurably(ignore, "*\n");
}
