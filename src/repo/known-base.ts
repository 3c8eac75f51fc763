// The branch that a story goes into, once it has begun: its pull request says so. Without a remote the
// base of a new story is what is checked out, and that changes under a person's hands.

import type { Forge } from "../machine/forge.ts";
import type { Git } from "../machine/git.ts";
import { storyBranch } from "../story/names.ts";
import { commitOf } from "./refs.ts";

/** Nothing for a new story, or where the forge's own default says it better. */
export async function knownBase(
  git: Git,
  forge: Forge,
  storyId: string,
): Promise<string | undefined> {
  if (forge.kind !== "local") return undefined;
  const base = (await forge.find(storyBranch(storyId)))?.base;
  const isThere = base !== undefined && (await commitOf(git, `refs/heads/${base}`)) !== undefined;
  return isThere ? base : undefined;
}
