// A file that a person has edited in a checkout and not committed, while a fast-forward brings another version of it.
// Git refuses that. If the index already has the version that arrives, git leaves the file alone: the edit stays where
// it is, and shows as a change to the new version. At no moment is it anywhere else, so a kill cannot lose it.

import { join } from "node:path";
import { readOwnTextIfThere, writeDurably } from "../../machine/files/files.ts";
import { answerOf, type Git } from "../../machine/programs/git.ts";
import { entryAt } from "../lstat.ts";

export interface EditableFile {
  /** From the top folder. */
  readonly path: string;
  /** The edited text with what it must take over from the version that arrived. */
  readonly update: (edited: string, arrived: string) => string;
}

export interface StagedEdit {
  /** After the fast-forward. */
  readonly finish: () => Promise<void>;
  /** When git refused it all the same. */
  readonly undo: () => Promise<void>;
}

/** Undefined when nothing needs to be staged, or when the person has staged something themselves. */
export async function stageArriving(
  git: Git,
  { path, update }: EditableFile,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<StagedEdit | undefined> {
  const pathspec = `:(top,literal)${path}`;
  const place = join(git.folder, path);
  const arriving = await entryIn(git, to, path);
  if (arriving === undefined || arriving === (await entryIn(git, from, path))) return undefined;
  if (!entryAt(place)?.isFile()) return undefined;
  if (!(await answerOf(git, ["diff", "--cached", "--quiet", from, "--", pathspec])).isOk) {
    return undefined;
  }
  const blob = await git.ask(["rev-parse", "--verify", `${to}:${path}`]);
  await git.ask(["update-index", "--add", "--cacheinfo", `100644,${blob},${path}`]);
  return {
    async finish() {
      const edited = readOwnTextIfThere(place);
      const arrived = await git.ask(["cat-file", "blob", blob]);
      const updated = edited === undefined ? undefined : update(edited, arrived);
      if (updated !== undefined && updated !== edited) writeDurably(place, updated);
    },
    async undo() {
      await git.ask(["reset", "--quiet", "--", pathspec]);
    },
  };
}

const entryIn = async (git: Git, commit: string, path: string): Promise<string | undefined> =>
  (await git.ask(["ls-tree", "-z", "--full-tree", commit, "--", path])) || undefined;
