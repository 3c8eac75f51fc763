// What is checked out in a folder: read from git's own files where they say it plainly, and from git otherwise.

import { join } from "node:path";
import { readTextIfThere } from "../files/files.ts";
import { commonDirOf, gitDirAt, sharedBy } from "./common-dir.ts";
import { answerOf, type Git } from "./git.ts";

/** The branch that HEAD names: `refs/heads/main`. Undefined when it is detached. */
export async function headRef(git: Git): Promise<string | undefined> {
  const gitDir = ownGitDir(git);
  const named = gitDir && BRANCH.exec(readTextIfThere(join(gitDir, "HEAD")) ?? "")?.groups?.["ref"];
  if (named) return named;
  const head = await answerOf(git, ["symbolic-ref", "--quiet", "HEAD"]);
  return head.isOk ? head.stdout : undefined;
}

/** A repository with another kind of ref storage has a branch here that cannot exist. */
const BRANCH = /^ref: (?<ref>refs\/heads\/(?!\.)[^\n]+)\n$/;

/** The git folder of this checkout. Undefined if it does not lead to the repository that it should. */
export function ownGitDir({ folder, place: { root } }: Git): string | undefined {
  const gitDir = gitDirAt(folder);
  return gitDir !== undefined && sharedBy(gitDir) === commonDirOf(root) ? gitDir : undefined;
}

/** The same for callers that cannot do without it. */
export const requireGitDir = async (git: Git): Promise<string> =>
  ownGitDir(git) ?? git.ask(["rev-parse", "--absolute-git-dir"]);
