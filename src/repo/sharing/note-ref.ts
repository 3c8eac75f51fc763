// A ref at the remote that carries a few facts instead of code: a commit without files, whose trailers hold them.

import { gitError } from "../../machine/programs/git.ts";
import { askAsCommitter } from "../committer.ts";
import { fetchRefs, reasonIn, type Repository } from "../repository.ts";

/** What git calls the tree without files, in repositories with SHA-1. With SHA-256 it is written first. */
const writeEmptyTree = (git: Repository["git"]): Promise<string> =>
  git.ask(["mktree"], { input: "" });

export type Facts = Readonly<Record<string, string>>;

/** The commit is not reachable from any branch. The same facts give another commit each time: its date differs. */
export async function writeNote(
  git: Repository["git"],
  subject: string,
  facts: Facts,
): Promise<string> {
  const trailers = Object.entries(facts).map(([name, value]) => `Saga-${name}: ${value}`);
  const args = ["commit-tree", await writeEmptyTree(git), "-F", "-"];
  return askAsCommitter(git, args, `${subject}\n\n${trailers.join("\n")}\n`);
}

/** The facts behind a commit that `readRemoteRefs` gave. */
export async function readNote(
  { git, remote }: Repository,
  ref: string,
  commit: string,
): Promise<Facts> {
  if (!(await git.attempt(["cat-file", "-e", `${commit}^{commit}`])).isOk) {
    const local = `refs/saga/remote/${ref.replace(/^refs\/saga\//, "")}`;
    const fetched = await fetchRefs(git, remote?.name ?? "", [`+${ref}:${local}`]);
    if (!fetched.isOk) throw gitError(`${ref} could not be fetched: ${reasonIn(fetched.stderr)}`);
  }
  return factsIn(await git.ask(["log", "-1", "--format=%B", commit]));
}

export function factsIn(message: string): Facts {
  const lines = message.split("\n").flatMap((line) => /^Saga-(\w+): (.*)$/.exec(line) ?? []);
  const facts: Record<string, string> = {};
  for (let at = 0; at + 2 < lines.length; at += 3) facts[lines[at + 1] ?? ""] = lines[at + 2] ?? "";
  return facts;
}
