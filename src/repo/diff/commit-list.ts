// Lists the commits between two, with merges separately: a merge brings in the work of other commits.

import { SagaError } from "../../errors.ts";
import type { Git } from "../../machine/programs/git.ts";
import { recentCommits } from "../refs.ts";
import { blobSizes, readBlobs } from "./blobs.ts";

export interface CommitList {
  /** Commits with at most one parent, oldest first. */
  readonly plain: readonly string[];
  readonly merges: readonly string[];
}

export async function listCommits(git: Git, from: string, to: string): Promise<CommitList> {
  const recent = await recentCommits(git, from, to);
  // Below a merge there are commits on more than one line.
  if (recent?.every(({ parents }) => parents.length === 1)) {
    return { plain: recent.map(({ id }) => id).toReversed(), merges: [] };
  }
  return byParents(await git.ask(["rev-list", "--parents", "--reverse", `${from}..${to}`, "--"]));
}

/** Of the output of `git rev-list --parents`. */
export function byParents(output: string): CommitList {
  const plain: string[] = [];
  const merges: string[] = [];
  for (const line of output.split("\n").filter((one) => one !== "")) {
    const [commit = "", ...parents] = line.split(" ");
    (parents.length > 1 ? merges : plain).push(commit);
  }
  return { plain, merges };
}

/** Of all messages together: they are read into memory. */
const MAX_MESSAGE_BYTES = 50_000_000;

/** The messages as stored, unaffected by the user's settings for showing them. */
export async function readMessages(
  git: Git,
  commits: readonly string[],
): Promise<readonly { readonly commit: string; readonly text: string }[]> {
  const sizes = await blobSizes(git, commits);
  const bytes = [...sizes.values()].reduce((sum, one) => sum + one, 0);
  if (bytes > MAX_MESSAGE_BYTES) throw tooLong(git);
  const read = await readBlobs(git, commits);
  return commits.map((commit) => {
    const text = read.get(commit);
    if (text === undefined) throw tooLong(git);
    return { commit, text: messageIn(text) };
  });
}

/** Of a commit object. The message starts after the first empty line. */
export const messageIn = (text: string): string => text.slice(text.indexOf("\n\n") + 2);

const tooLong = ({ folder }: Git): SagaError =>
  new SagaError("program-failed", `The messages of the commits in ${folder} are too long.`, {
    hint: "Find the long message with `git log`.",
  });
