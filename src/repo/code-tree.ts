// The tree of a commit without `.saga`: what a receipt is about. Statuses, journal and the receipt itself
// travel in `.saga`, and writing them down must not make it look as if the code had changed.

import type { Git } from "../machine/programs/git.ts";

export async function codeTree(git: Git, commit: string): Promise<string> {
  const entries = (await git.ask(["ls-tree", "-z", `${commit}^{tree}`])).split("\0");
  const code = entries.filter((entry) => entry !== "" && !entry.endsWith("\t.saga"));
  return git.ask(["mktree", "-z"], { input: code.map((entry) => `${entry}\0`).join("") });
}
