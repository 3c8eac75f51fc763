// The git folder that all worktrees of a repository share, found without running git, and as git finds it: a path that
// git would follow elsewhere must not look like this repository's. It identifies the repository.

import { existsSync, realpathSync, statSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { ifThere, readText } from "../files/files.ts";

/** Undefined outside of a repository. */
export function commonDirOf(folder: string): string | undefined {
  const found = findGitDir(folder);
  return found && commonDirBehind(found);
}

export interface FoundGitDir {
  /** Of this checkout: a linked worktree has its own. */
  readonly gitDir: string;
  /** A `.git` file leads there. */
  readonly isLinked: boolean;
}

/** Undefined outside of a repository. */
export function findGitDir(folder: string): FoundGitDir | undefined {
  const from = ifThere(() => realpathSync.native(folder));
  for (let at = from; at !== undefined; at = dirname(at) === at ? undefined : dirname(at)) {
    const path = join(at, ".git");
    const stat = ifThere(() => statSync(path));
    if (stat?.isDirectory()) return { gitDir: realpathSync.native(path), isLinked: false };
    const linked = stat?.isFile() ? gitDirIn(readText(path)) : undefined;
    if (linked !== undefined) return { gitDir: follow(at, linked), isLinked: true };
    if (isBare(at)) return { gitDir: at, isLinked: false };
  }
  return undefined;
}

export const commonDirBehind = ({ gitDir, isLinked }: FoundGitDir): string =>
  isLinked ? sharedBy(gitDir) : gitDir;

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
