// Commits the move of stories to or from the archive in the person's checkout. The commit contains nothing else, and the
// next merge finds a clean checkout.

import { messageOf } from "../../errors.ts";
import type { Git } from "../../machine/programs/git.ts";
import { storyFolder } from "../worktree/bring-story.ts";
import { askAsCommitter } from "../committer.ts";
import { inProgress } from "../worktree/place.ts";

export type ArchiveCommit =
  | { readonly kind: "committed"; readonly commit: string }
  /** Git does not track the stories, or they have not changed. */
  | { readonly kind: "nothing" }
  | { readonly kind: "left"; readonly why: string; readonly paths: readonly string[] };

const archivedFolder = (storyId: string): string => `.saga/archive/${storyId}`;

export async function commitArchive(
  git: Git,
  storyIds: readonly string[],
  subject: string,
): Promise<ArchiveCommit> {
  const folders = storyIds.flatMap((id) => [storyFolder(id), archivedFolder(id)]);
  const known = await pathsOf(git, ["ls-files", "-z", "--cached"], folders);
  if (known.length === 0) return { kind: "nothing" };
  const changed = await pathsOf(
    git,
    ["status", "--porcelain", "-z", "--no-renames", "-uall"],
    folders,
  );
  if (changed.length === 0) return { kind: "nothing" };
  const paths = changedFolders(folders, changed);
  const left = (why: string): ArchiveCommit => ({ kind: "left", why, paths });
  const head = await git.attempt(["symbolic-ref", "--quiet", "HEAD"]);
  if (!head.isOk) return left("no branch is checked out");
  const operation = inProgress(await git.ask(["rev-parse", "--absolute-git-dir"]));
  if (operation !== undefined) return left(`a ${operation} is in progress`);
  const specs = paths.map(literally);
  try {
    await git.ask(["add", "--all", "--sparse", "--", ...specs]);
    const options = ["--quiet", "--no-verify", "--cleanup=whitespace", "--only", "--file=-"];
    const trailers = storyIds.map((id) => `Saga-Story: ${id}`).join("\n");
    await askAsCommitter(
      git,
      ["commit", ...options, "--", ...specs],
      `${subject}\n\n${trailers}\n`,
    );
  } catch (error) {
    return left(messageOf(error));
  }
  return { kind: "committed", commit: await git.ask(["rev-parse", "--verify", "HEAD"]) };
}

/** `status`: entries of `git status --porcelain`, such as `?? .saga/archive/one/story.json`. */
export const changedFolders = (folders: readonly string[], status: readonly string[]): string[] =>
  folders.filter((folder) => status.some((entry) => entry.slice(3).startsWith(`${folder}/`)));

const literally = (path: string): string => `:(top,literal)${path}`;

async function pathsOf(
  git: Git,
  command: readonly string[],
  folders: readonly string[],
): Promise<string[]> {
  const text = await git.ask([...command, "--", ...folders.map(literally)]);
  return text.split("\0").filter((entry) => entry !== "");
}
