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

/** Of a commit by its id. */
export async function treeOf(git: Git, commit: string): Promise<string> {
  const [tree] = await objectInfo(git, [`${commit}^{tree}`]);
  if (tree !== undefined) return tree.id;
  throw gitError(`git cannot read the tree of ${commit} in ${git.folder}.`);
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
export const isRecentAncestor = async (git: Git, older: string, newer: string): Promise<boolean> =>
  (await recentCommits(git, older, newer)) !== undefined;

export interface RecentCommit {
  readonly id: string;
  readonly parents: readonly string[];
}

/** The last commits of `newer`, newest first, down to `older`. Undefined if it is not among them, by first parents. */
export async function recentCommits(
  git: Git,
  older: string,
  newer: string,
): Promise<readonly RecentCommit[] | undefined> {
  const commits: RecentCommit[] = [];
  let id: string | undefined = newer;
  while (id !== undefined && id !== older && commits.length < RECENT && isSharedName(id)) {
    const [found]: (GitObject | undefined)[] = await readObjects(git, [id]);
    const parents: readonly string[] = found?.type === "commit" ? parentsIn(found) : [];
    commits.push({ id, parents });
    [id] = parents;
  }
  return id === older ? commits : undefined;
}

/** The headers end with the first empty line. */
const parentsIn = ({ content }: GitObject): string[] =>
  content
    .toString("latin1", 0, content.indexOf("\n\n"))
    .split("\n")
    .flatMap((line) => (line.startsWith("parent ") ? [line.slice("parent ".length)] : []));

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
