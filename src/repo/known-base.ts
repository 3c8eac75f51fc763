// The branch that a story goes into, once it has begun: its pull request says so. Without a remote the
// base of a new story is what is checked out, and that changes under a person's hands.

import { SagaError } from "../errors.ts";
import type { Forge } from "../machine/forge/forge.ts";
import type { Git } from "../machine/programs/git.ts";
import { storyBranch } from "../story/definition/names.ts";
import { commitOf } from "./refs.ts";

/** Nothing for a new story, or where the forge's own default says it better. One that is gone is no reason
 * to take another: the work would end up where nobody wanted it. */
export async function knownBase(
  git: Git,
  forge: Forge,
  storyId: string,
): Promise<string | undefined> {
  if (forge.kind !== "local") return undefined;
  const base = (await forge.find(storyBranch(storyId)))?.base;
  if (base === undefined || (await commitOf(git, `refs/heads/${base}`)) !== undefined) return base;
  throw new SagaError(
    "not-found",
    `The branch ${base}, which the story ${storyId} goes into, is gone.`,
    {
      hint: "Bring it back, or name another in .saga/config.toml: `base` under `[git]`.",
    },
  );
}
