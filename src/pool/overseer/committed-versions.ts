// The last committed versions of task files, if the list is under version control.

import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Environment } from "../../machine/processes/environment.ts";
import { readTextIfThere } from "../../machine/files/files.ts";
import { openGit, type Git } from "../../machine/programs/git.ts";
import type { PoolProblem } from "../../tasks/problem.ts";

/** By file: the files with problems, and missing tasks that others wait for. */
export async function committedVersions(
  list: string,
  problems: readonly PoolProblem[],
  env: Environment,
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const file of new Set(problems.flatMap((problem) => filesOf(list, problem)))) {
    const text = await lastCommitted(file, env);
    if (text !== undefined) found.set(file, text);
  }
  return found;
}

function filesOf(list: string, { kind, file }: PoolProblem): string[] {
  if (file === undefined) return [];
  return kind === "missing-dependency" ? [file, ...missingFiles(list, file)] : [file];
}

/** Dependencies without a file: they may be restored. */
function missingFiles(list: string, file: string): string[] {
  const ids = (jsonIn(file) as { readonly blockedBy?: unknown } | undefined)?.blockedBy;
  if (!Array.isArray(ids)) return [];
  return ids
    .filter((id): id is string => typeof id === "string" && /^[A-Za-z0-9_-]+$/.test(id))
    .map((id) => join(list, `${id}.json`))
    .filter((one) => !existsSync(one));
}

function jsonIn(file: string): unknown {
  try {
    return JSON.parse(readTextIfThere(file) ?? "");
  } catch {
    return undefined;
  }
}

async function lastCommitted(file: string, env: Environment): Promise<string | undefined> {
  const folder = dirname(file);
  if (!existsSync(folder)) return undefined;
  const git: Git = openGit(folder, env);
  const name = basename(file);
  // The last commit that has the file: it may have been deleted since.
  const last = ["log", "-1", "--diff-filter=AMT", "--format=%H", "HEAD", "--", name];
  const { isOk, stdout: commit } = await git.attempt(last);
  if (!isOk || commit === "") return undefined;
  const shown = await git.attempt(["cat-file", "blob", `${commit}:./${name}`]);
  return shown.isOk ? shown.stdout : undefined;
}
