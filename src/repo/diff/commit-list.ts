// The commits between two, merges apart: what those bring in is other commits' work.

import { SagaError } from "../../errors.ts";
import type { Git } from "../../machine/programs/git.ts";
import { readBlobs } from "./blobs.ts";

export interface CommitList {
  /** Those with one parent or none, the oldest first. */
  readonly plain: readonly string[];
  readonly merges: readonly string[];
}

export async function listCommits(git: Git, from: string, to: string): Promise<CommitList> {
  const output = await git.ask(["rev-list", "--parents", "--reverse", `${from}..${to}`, "--"]);
  const plain: string[] = [];
  const merges: string[] = [];
  for (const line of output.split("\n").filter((one) => one !== "")) {
    const [commit = "", ...parents] = line.split(" ");
    (parents.length > 1 ? merges : plain).push(commit);
  }
  return { plain, merges };
}

/** What was said about each of them: as it is kept, and not as somebody's settings would have it shown. */
export async function readMessages(
  git: Git,
  commits: readonly string[],
): Promise<readonly { readonly commit: string; readonly text: string }[]> {
  if (commits.length === 0) return [];
  const read = await readBlobs(git, commits);
  return commits.map((commit) => {
    const text = read.get(commit);
    if (text === undefined) throw tooLong(git);
    // Behind the first empty line.
    return { commit, text: text.slice(text.indexOf("\n\n") + 2) };
  });
}

const tooLong = ({ folder }: Git): SagaError =>
  new SagaError("program-failed", `The messages of the commits in ${folder} are too long.`, {
    hint: "See with `git log` which one is.",
  });
