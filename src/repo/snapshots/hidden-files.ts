// Files that git was told not to look at (`--assume-unchanged`, `--skip-worktree`): it takes them for
// unchanged, whatever is in them. A person says so of what they never want to commit; what would go away
// is looked at all the same.

import { join } from "node:path";
import type { Environment } from "../../machine/processes/environment.ts";
import type { Git } from "../../machine/programs/git.ts";
import { entryAt } from "../lstat.ts";

/** Lets git look at those that are there, in an index that is not the worktree's own. Whether there are any. */
export async function unhideFiles(
  git: Git,
  env: Environment & { readonly GIT_INDEX_FILE: string },
): Promise<boolean> {
  // A small letter: assumed to be unchanged. `S`: to be skipped, as all is that a sparse checkout leaves out.
  const listed = (await git.ask(["ls-files", "-v", "-z"], { env })).split("\0");
  const names = listed
    .filter((entry) => /^[a-zS] /.test(entry))
    .map((entry) => entry.slice(2))
    .filter((name) => entryAt(join(git.folder, name)) !== undefined);
  if (names.length === 0) return false;
  const input = names.map((name) => `${name}\0`).join("");
  for (const flag of ["--no-assume-unchanged", "--no-skip-worktree"]) {
    await git.ask(["update-index", flag, "-z", "--stdin"], { env, input });
  }
  return true;
}
