// The tree of a commit without `.saga`, which receipts refer to. Saga writes statuses, journal and receipts into `.saga`,
// and that must not look like a change of the code.

import type { Git } from "../machine/programs/git.ts";

export async function codeTree(git: Git, commit: string): Promise<string> {
  const entries = (await git.ask(["ls-tree", "-z", `${commit}^{tree}`])).split("\0");
  const code = entries.filter((entry) => entry !== "" && !entry.endsWith("\t.saga"));
  return git.ask(["mktree", "-z"], { input: code.map((entry) => `${entry}\0`).join("") });
}
