// Which branches git has, read from its own files: no program is started for it. Kept apart from `known-refs.ts`,
// which hook scripts load.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { gitFolder, textOf } from "./known-refs.ts";
import type { Layout } from "./layout.ts";

/** Where refs are kept in tables they are not files: then every branch counts as there. */
export function branchesIn({ project }: Layout): (branch: string) => boolean {
  const folder = gitFolder(project);
  if (existsSync(join(folder, "reftable"))) return () => true;
  const packed = textOf(folder, "packed-refs");
  return (branch) =>
    existsSync(join(folder, "refs/heads", branch)) || packed.includes(` refs/heads/${branch}\n`);
}
