// Tries merges without leaving anything behind: no file, no index, and no object in the repository. One git process does
// all of them, because starting one for each costs more than most merges.

import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Git } from "../../machine/programs/git.ts";
import { steadily } from "../deterministic-git.ts";
import { filesIn, mergeTips } from "../merge-tips.ts";
import type { Repository } from "../repository.ts";
import { isSagas } from "./changed-paths.ts";

/** The files that conflict, for each of `theirs`; undefined for one that git cannot merge. */
export async function tryMerges(
  { git, commonDir }: Pick<Repository, "git" | "commonDir">,
  { storyId, ours, theirs }: { readonly storyId: string; ours: string; theirs: readonly string[] },
): Promise<readonly (readonly string[] | undefined)[]> {
  if (theirs.length === 0) return [];
  const folder = objectsFolder(commonDir, storyId);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  try {
    const env = {
      GIT_OBJECT_DIRECTORY: folder,
      // Quoted: a colon separates folders.
      GIT_ALTERNATE_OBJECT_DIRECTORIES: JSON.stringify(join(commonDir, "objects")),
    };
    const input = theirs.map((commit) => `${ours} ${commit}\n`).join("");
    const options = ["--write-tree", "--stdin", "--no-messages", "-z"];
    const merged = await steadily(git).attempt(["merge-tree", ...options], { input, env });
    const results = merged.isOk ? resultsIn(merged.stdout) : [];
    if (results.length === theirs.length) return results;
    // One that cannot be merged ends all of them; and git 2.38 cannot do several.
    return await tryEach(withEnv(git, env), ours, theirs);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A killed worker leaves it; the next merge of the story removes it. */
const objectsFolder = (commonDir: string, storyId: string): string =>
  join(commonDir, "saga/tried-merges", storyId);

/** `<1 or 0>`, the tree, the conflicted files and an empty word, for each merge. */
function resultsIn(stdout: string): string[][] {
  const results: string[][] = [];
  const words = stdout.split("\0");
  for (let at = 0; at + 1 < words.length;) {
    const end = words.indexOf("", at);
    if (end === -1) break;
    results.push(conflictsIn(words.slice(at + 2, end)));
    at = end + 1;
  }
  return results;
}

const conflictsIn = (entries: readonly string[]): string[] =>
  filesIn(entries)
    .map(({ path }) => path)
    .filter((path) => !isSagas(path))
    .toSorted();

async function tryEach(
  git: Git,
  ours: string,
  theirs: readonly string[],
): Promise<(readonly string[] | undefined)[]> {
  const results: (readonly string[] | undefined)[] = [];
  for (const commit of theirs) {
    const merged = await mergeTips(steadily(git), ours, commit).catch(() => undefined);
    const files = merged?.kind === "conflict" ? merged.files.map(({ path }) => path) : [];
    results.push(merged && files.filter((path) => !isSagas(path)).toSorted());
  }
  return results;
}

const withEnv = (git: Git, env: Readonly<Record<string, string>>): Git => ({
  ...git,
  ask: (args, options) => git.ask(args, { ...options, env: { ...options?.env, ...env } }),
  attempt: (args, options) => git.attempt(args, { ...options, env: { ...options?.env, ...env } }),
});
