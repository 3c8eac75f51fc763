// What git remembers of an epic's branch, because a branch that is gone tells nothing: `refs/saga/epic/<epic>/from`,
// where it began, and `refs/saga/epic/<epic>/tip`, where it was last seen. The first is written before the branch is
// made and the second after: one without the other is a call that was killed in between.

import type { Git } from "../../machine/programs/git.ts";
import { mergeTips } from "../merge-tips.ts";
import { isAncestor } from "../refs.ts";
import { steadily } from "../deterministic-git.ts";

export const fromRef = (epicId: string): string => `refs/saga/epic/${epicId}/from`;
export const tipRef = (epicId: string): string => `refs/saga/epic/${epicId}/tip`;

/** Whether a commit has all that an epic's branch did. A branch that has nothing yet is not merged. */
export async function isInBase(
  git: Git,
  { from, last, base }: { from: string | undefined; last: string; base: string },
): Promise<boolean> {
  if (from === undefined || last === from) return false;
  if (await isAncestor(git, last, base)) return true;
  // Squashed: all that it did is there, under another commit.
  const merged = await mergeTips(steadily(git), base, last);
  const there = await git.ask(["rev-parse", "--verify", `${base}^{tree}`]);
  return merged.kind === "clean" && merged.tree === there;
}
