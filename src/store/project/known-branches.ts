// The branches of the repository, read from git's files without starting git. Separate from `known-refs.ts`, which
// hook scripts load.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { gitFolder, textOf } from "./known-refs.ts";
import type { Layout } from "./layout.ts";

/** In a repository with reftables, refs are not files: every branch counts as existing. */
export function branchesIn({ project }: Layout): (branch: string) => boolean {
  const folder = gitFolder(project);
  if (existsSync(join(folder, "reftable"))) return () => true;
  const packed = textOf(folder, "packed-refs");
  return (branch) =>
    existsSync(join(folder, "refs/heads", branch)) || packed.includes(` refs/heads/${branch}\n`);
}
