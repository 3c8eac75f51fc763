// Reads the uncommitted files of a worktree as a tree, while an agent may be working in it. Nothing is written to the
// repository or the worktree: the index is a copy, and new objects go to a temporary folder.

import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Environment } from "../../machine/processes/environment.ts";
import { commonDirOf } from "../../machine/programs/common-dir.ts";
import type { Git } from "../../machine/programs/git.ts";
import { requireGitDir } from "../../machine/programs/head.ts";
import { copyIndex } from "./snapshot.ts";
import { addAll } from "../stage-files.ts";
import { isUnchanged } from "../diff/working-files.ts";

export interface Uncommitted {
  /** Git that can read the tree. */
  readonly git: Git;
  readonly tree: string;
}

/** Undefined when nothing is uncommitted. The tree exists only while `act` runs. */
export async function withUncommitted<T>(
  git: Git,
  exclude: readonly string[],
  act: (uncommitted: Uncommitted) => Promise<T>,
): Promise<T | undefined> {
  if (await isUnchanged(git)) return undefined;
  const gitDir = await requireGitDir(git);
  const folder = mkdtempSync(join(tmpdir(), "saga-diff-"));
  try {
    const [objects, index] = [join(folder, "objects"), join(folder, "index")];
    mkdirSync(objects);
    copyIndex(join(gitDir, "index"), index);
    const env = {
      GIT_INDEX_FILE: index,
      GIT_OBJECT_DIRECTORY: objects,
      // In quotes, because a path may contain the separator.
      GIT_ALTERNATE_OBJECT_DIRECTORIES: quoted(join(commonDirOf(git.folder) ?? gitDir, "objects")),
      GIT_OPTIONAL_LOCKS: "0",
    };
    await addAll(git, exclude, env);
    const tree = await git.ask(["write-tree"], { env });
    return await act({ git: withEnvironment(git, env), tree });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const quoted = (path: string): string =>
  `"${path.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;

const withEnvironment = (git: Git, env: Environment): Git => ({
  ...git,
  ask: (args, options) => git.ask(args, { ...options, env: { ...env, ...options?.env } }),
  attempt: (args, options) => git.attempt(args, { ...options, env: { ...env, ...options?.env } }),
  at: (folder) => withEnvironment(git.at(folder), env),
});
