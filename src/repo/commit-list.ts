// The commits between two, merges apart: what those bring in is other commits' work.

import type { Git } from "../machine/git.ts";

export interface CommitList {
  /** Those with one parent or none, the oldest first. */
  readonly plain: readonly string[];
  readonly merges: readonly string[];
}

/** What was said about each of them. */
export async function readMessages(
  git: Git,
  from: string,
  to: string,
): Promise<readonly { readonly commit: string; readonly text: string }[]> {
  const format = ["--no-commit-header", "--format=%H%x00%B%x00"];
  const parts = (await git.ask(["rev-list", ...format, `${from}..${to}`, "--"])).split("\0");
  // Git puts a line break behind each record.
  return parts.flatMap((text, at) => {
    return at % 2 === 0 ? [] : { commit: (parts[at - 1] ?? "").trim(), text };
  });
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
