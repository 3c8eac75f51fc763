// The repository that a git command works in: the one that all stories share, or one of its own, such
// as a submodule or a trial, where the agent may do as it likes.

import { existsSync, readFileSync } from "node:fs";
import { below, type Ground } from "../scope/roots.ts";
import { follow, parentOf } from "../scope/resolve.ts";

/** `made` are the folders that the command itself has made a repository in, by their real paths. */
export function isShared(ground: Ground, made: ReadonlySet<string>, from: string): boolean {
  const { project, worktree } = ground.scope;
  let top = realFolder(ground, from);
  while (top !== "" && !made.has(top) && !isRepository(top)) top = parentOf(top);
  if (top === "") return false;
  top = top.replace(/\/\.git$/, "");
  // The project itself may be a folder of a larger repository.
  if ([project, worktree].some((folder) => below(ground, top, folder))) return true;
  return !below(ground, worktree, top) && !!below(ground, `${ground.saga}/worktrees`, top);
}

/** One without files of its own has all that is otherwise in `.git`. */
const isRepository = (folder: string): boolean =>
  [".git", "objects/info"].some((name) => existsSync(`${folder}/${name}`));

export function realFolder({ project }: Ground, folder: string): string {
  const place = follow(folder, project);
  return "because" in place ? folder : place.path;
}

/** The branch that the main checkout is on: most often the one that stories are merged into. */
export function mainBranch({ scope }: Ground): string | undefined {
  try {
    const head = readFileSync(`${scope.project}/.git/HEAD`, "utf8");
    return /^ref: refs\/heads\/(.+)/.exec(head)?.[1];
  } catch {
    // A project in a larger repository, or in a worktree, has it elsewhere: then the name must do.
    return undefined;
  }
}
