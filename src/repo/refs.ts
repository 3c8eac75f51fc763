// Reads, compares, moves and deletes refs.

import { answerOf, gitError, type Git } from "../machine/programs/git.ts";
import {
  isSharedName,
  objectInfo,
  readObjects,
  type GitObject,
} from "../machine/programs/object-reader.ts";
import { headRef, ownGitDir } from "../machine/programs/head.ts";

/** How one commit relates to another. `apart`: neither contains the other, as far as this clone knows. */
export type Relation = "same" | "behind" | "ahead" | "apart";

export async function commitOf(git: Git, name: string): Promise<string | undefined> {
  const shared = name === "HEAD" ? await headRef(git) : name;
  if (shared !== undefined && isSharedName(shared) && ownGitDir(git) !== undefined) {
    const [commit] = await objectInfo(git, [`${shared}^{commit}`]);
    return commit?.id;
  }
  const found = await answerOf(git, ["rev-parse", "--quiet", "--verify", `${name}^{commit}`]);
  return found.isOk ? found.stdout : undefined;
}

export async function requireHead(git: Git): Promise<string> {
  const head = await commitOf(git, "HEAD");
  if (head !== undefined) return head;
  throw gitError(`The worktree ${git.folder} has no commit.`);
}

/** False if it is unknown, as in a shallow clone that lacks the history. */
export const isAncestor = async (git: Git, older: string, newer: string): Promise<boolean> =>
  older === newer || (await answerOf(git, ["merge-base", "--is-ancestor", older, newer])).isOk;

/** The best commit that both contain. Undefined if this clone knows of none: a git that failed has not said so. */
export async function sharedCommit(
  git: Git,
  one: string,
  other: string,
): Promise<string | undefined> {
  const found = await git.attempt(["merge-base", one, other]);
  if (found.isOk) return found.stdout;
  if (found.exitCode === 1) return undefined;
  throw gitError(`git merge-base failed in ${git.folder}: ${found.stderr}`);
}

/** A story rarely has more commits of its own. */
const RECENT = 100;

/** Whether `older` is among the last commits below `newer`, by first parents. Cheap; `false` says nothing. */
export async function isRecentAncestor(git: Git, older: string, newer: string): Promise<boolean> {
  let commit: string | undefined = newer;
  for (let read = 0; read < RECENT && commit !== undefined && isSharedName(commit); read++) {
    if (commit === older) return true;
    const [found]: (GitObject | undefined)[] = await readObjects(git, [commit]);
    const headers = found?.type === "commit" ? found.content.toString("latin1") : "";
    commit = /^tree [0-9a-f]+\nparent (?<parent>[0-9a-f]+)\n/.exec(headers)?.groups?.["parent"];
  }
  return false;
}

export async function relationOf(git: Git, one: string, other: string): Promise<Relation> {
  if (one === other) return "same";
  if (await isAncestor(git, one, other)) return "behind";
  return (await isAncestor(git, other, one)) ? "ahead" : "apart";
}

/** Creates the ref, or moves it only if it is still at `from`. */
export const moveRef = (
  git: Git,
  move: { readonly ref: string; readonly to: string; readonly from: string | undefined },
) =>
  git.attempt([
    ...PATIENT,
    "update-ref",
    "-m",
    "saga",
    move.ref,
    move.to,
    // Zeros: the ref must not exist.
    move.from ?? "0".repeat(move.to.length),
  ]);

/** Deletes the ref only if it is still at `from`. */
export const deleteRef = (git: Git, ref: string, from: string) =>
  git.attempt([...PATIENT, "update-ref", "-d", ref, from]);

/** Another git process may hold a ref's lock for a moment; git's default wait of 0.1 s is too short. */
const PATIENT = ["core.filesRefLockTimeout=5000", "core.packedRefsTimeout=5000"].flatMap((one) => [
  "-c",
  one,
]);
