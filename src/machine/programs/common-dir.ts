// The git folder that all worktrees of a repository share, found without running git, and as git finds it: a path that
// git would follow elsewhere must not look like this repository's. It identifies the repository.

import { existsSync, realpathSync, statSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { ifThere, readText } from "../files/files.ts";

/** Undefined outside of a repository. */
export function commonDirOf(folder: string): string | undefined {
  const from = ifThere(() => realpathSync.native(folder));
  for (let at = from; at !== undefined; at = dirname(at) === at ? undefined : dirname(at)) {
    const gitDir = gitDirAt(at);
    if (gitDir !== undefined) {
      return statSync(join(at, ".git")).isDirectory() ? gitDir : sharedBy(gitDir);
    }
    if (isBare(at)) return at;
  }
  return undefined;
}

/** From the text of a `.git` file. */
export const gitDirIn = (text: string): string | undefined =>
  /^gitdir: (?<path>.+?)[\r\n]*$/s.exec(text)?.groups?.["path"];

/** A folder that git takes for a repository without files. */
const isBare = (folder: string): boolean =>
  ["HEAD", "objects", "refs"].every((name) => existsSync(join(folder, name)));

/** A worktree's git folder names the shared one; a submodule has its own. */
export function sharedBy(gitDir: string): string {
  const common = ifThere(() => readText(join(gitDir, "commondir")))?.replace(/[\r\n]+$/, "");
  return common === undefined ? gitDir : follow(gitDir, common);
}

/** The system takes `link/..` for the folder that holds what the link leads to: nothing is shortened before. */
function follow(from: string, path: string): string {
  const whole = isAbsolute(path) ? path : `${from}/${path}`;
  return ifThere(() => realpathSync.native(whole)) ?? whole;
}

/** The git folder of a checkout, also of a linked worktree. Undefined if there is no `.git` in this very folder. */
export function gitDirAt(folder: string): string | undefined {
  const path = join(folder, ".git");
  const stat = ifThere(() => statSync(path));
  if (stat?.isDirectory()) return realpathSync.native(path);
  const linked = stat?.isFile() ? gitDirIn(readText(path)) : undefined;
  return linked === undefined ? undefined : follow(folder, linked);
}
