// The branch that a started story is merged into, taken from its pull request. Without a remote the base of a new story
// is what is checked out, which a person can change at any time.

import { SagaError } from "../errors.ts";
import type { Forge } from "../machine/forge/forge.ts";
import type { Git } from "../machine/programs/git.ts";
import { storyBranch } from "../story/definition/names.ts";
import { commitOf } from "./refs.ts";

/**
 * Undefined for a new story, and on a forge with a default branch of its own. If the branch is gone, no other is used
 * instead: the work would end up in the wrong branch.
 */
export async function knownBase(
  git: Git,
  forge: Forge,
  storyId: string,
): Promise<string | undefined> {
  if (forge.kind !== "local") return undefined;
  const base = (await forge.find(storyBranch(storyId)))?.base;
  if (base === undefined || (await commitOf(git, `refs/heads/${base}`)) !== undefined) return base;
  throw new SagaError("not-found", `The branch ${base} of the story ${storyId} is gone.`, {
    hint: "Create it again, or set another one in .saga/config.toml: `base` under `[git]`.",
  });
}
