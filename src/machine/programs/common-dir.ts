// The git folder that all worktrees of a repository share, found without running git. It identifies the repository.

import { realpathSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { ifThere, readText } from "../files/files.ts";

/** Undefined outside of a repository. */
export function commonDirOf(folder: string): string | undefined {
  const from = ifThere(() => realpathSync(folder));
  for (let at = from; at !== undefined; at = dirname(at) === at ? undefined : dirname(at)) {
    const path = join(at, ".git");
    const stat = ifThere(() => statSync(path));
    if (stat?.isDirectory()) return realpathSync(path);
    const linked = stat?.isFile() ? gitDirIn(readText(path)) : undefined;
    if (linked !== undefined) return sharedBy(resolve(at, linked));
  }
  return undefined;
}

const gitDirIn = (text: string): string | undefined =>
  /^gitdir: (?<path>.+?)\s*$/.exec(text)?.groups?.["path"];

/** A worktree's git folder names the shared one; a submodule has its own. */
function sharedBy(gitDir: string): string {
  const common = ifThere(() => readText(join(gitDir, "commondir")))?.trim();
  const path = common === undefined ? gitDir : resolve(gitDir, common);
  return ifThere(() => realpathSync(path)) ?? path;
}
