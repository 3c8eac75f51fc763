// Adds files to the remote's base in a commit of their own, without a checkout: for definitions that all machines of a
// fleet need. The person's branches and files are not touched.

import { SagaError } from "../../errors.ts";
import { gitError } from "../../machine/programs/git.ts";
import { askAsCommitter } from "../committer.ts";
import { pushCommit } from "../remote-branch.ts";
import { commitOf } from "../refs.ts";
import { fetchRefs, reasonIn, type Repository } from "../repository.ts";
import { withIndexOf } from "../snapshots/snapshot.ts";

export interface Publication {
  readonly branch: string;
  readonly message: string;
  /** The texts to write, by path, given the commit that they go on top of. None: nothing is left to publish. */
  readonly filesFor: (commit: string) => Promise<ReadonlyMap<string, string>>;
  /** Before the push, which cannot be taken back. Throws to refuse it. */
  readonly judge: (range: { readonly from: string; readonly to: string }) => Promise<void>;
}

/** Others push to the base, too. */
const MAX_ATTEMPTS = 5;

/** Returns the names of the files that were written. */
export async function publishFiles(
  repository: Repository,
  { branch, message, filesFor, judge }: Publication,
): Promise<readonly string[]> {
  const { git, remote } = repository;
  if (remote === undefined) throw gitError("A fleet needs a remote, and this repository has none.");
  const tracking = `refs/remotes/${remote.name}/${branch}`;
  const fetchTip = async (): Promise<string> => {
    const fetched = await fetchRefs(git, remote.name, [`+refs/heads/${branch}:${tracking}`]);
    const tip = await commitOf(git, tracking);
    if (fetched.isOk && tip !== undefined) return tip;
    throw gitError(`${branch} could not be fetched: ${reasonIn(fetched.stderr)}`);
  };
  let from = await fetchTip();
  for (let attempt = 1; ; attempt++) {
    const files = await filesFor(from);
    if (files.size === 0) return [];
    const to = await commitFiles(repository, { from, files, message });
    await judge({ from, to });
    const pushed = await pushCommit(git, remote, [`${to}:refs/heads/${branch}`]);
    if (pushed.isOk) return [...files.keys()];
    const before = from;
    from = await fetchTip();
    if (from === before || attempt === MAX_ATTEMPTS) {
      throw new SagaError(
        "program-failed",
        `${remote.name} rejected the new stories on ${branch}: ${reasonIn(pushed.stderr)}`,
        { hint: "Nothing was queued. Members read stories from that branch." },
      );
    }
  }
}

async function commitFiles(
  { git }: Repository,
  {
    from,
    files,
    message,
  }: {
    readonly from: string;
    readonly files: ReadonlyMap<string, string>;
    readonly message: string;
  },
): Promise<string> {
  const tree = await withIndexOf(git, from, async (env) => {
    const rows: string[] = [];
    for (const [path, input] of files) {
      const blob = await git.ask(["hash-object", "-w", "--stdin"], { input });
      rows.push(`100644 ${blob}\t${path}\n`);
    }
    await git.ask(["update-index", "--index-info"], { env, input: rows.join("") });
    return git.ask(["write-tree"], { env });
  });
  return askAsCommitter(git, ["commit-tree", tree, "-p", from, "-F", "-"], `${message}\n`);
}
