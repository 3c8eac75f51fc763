// Refs about an epic's branch that outlive it: `refs/saga/epic/<epic>/from`, where it began, and
// `refs/saga/epic/<epic>/tip`, where it was last seen. The first is written before the branch is created and the second
// after: one without the other means that a call was killed in between.

import type { Git } from "../../machine/programs/git.ts";
import { mergeTips } from "../merge-tips.ts";
import { isAncestor } from "../refs.ts";
import { steadily } from "../deterministic-git.ts";

export const fromRef = (epicId: string): string => `refs/saga/epic/${epicId}/from`;
export const tipRef = (epicId: string): string => `refs/saga/epic/${epicId}/tip`;

/** Whether `base` has all the work of an epic's branch. A branch without work is not merged. */
export async function isInBase(
  git: Git,
  { from, last, base }: { from: string | undefined; last: string; base: string },
): Promise<boolean> {
  if (from === undefined || last === from) return false;
  if (await isAncestor(git, last, base)) return true;
  // After a squash the work is there under another commit: a merge would change nothing.
  const merged = await mergeTips(steadily(git), base, last);
  const there = await git.ask(["rev-parse", "--verify", `${base}^{tree}`]);
  return merged.kind === "clean" && merged.tree === there;
}
