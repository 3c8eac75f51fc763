// Restores the branch of an epic that is delivered as one: if a person deleted it, it is created again with its stories,
// with a warning.

import type { Context } from "../../context.ts";
import { SagaError } from "../../errors.ts";
import { findBase } from "../../repo/repository.ts";
import { ensureEpicBranch, isEpicKnown } from "../../repo/delivery/epic-branch.ts";
import { canPush } from "../../repo/open-forge.ts";

export interface EpicBranchContext extends Pick<Context, "repository" | "forge" | "settings"> {
  readonly stop?: AbortSignal | undefined;
  readonly onWarning?: ((sentence: string) => void) | undefined;
  /** A merged branch may restart, because a story is about to be merged into it. */
  readonly canRestart?: boolean | undefined;
}

/** A branch that never existed is created when the first story starts. */
export async function restoreEpicBranch(context: EpicBranchContext, epicId: string): Promise<void> {
  const { repository, forge, settings, stop, onWarning, canRestart } = context;
  if (!(await isEpicKnown(repository.git, epicId))) return;
  const base = await findBase(repository, settings.git.base);
  const found = await ensureEpicBranch({
    repository,
    epicId,
    base,
    canPush: canPush(repository, settings, forge),
    canRestart,
    stop,
  });
  if (found.kind === "ready") for (const sentence of found.warnings) onWarning?.(sentence);
}

export const epicBranchGone = (branch: string, storyId: string): SagaError =>
  new SagaError("not-found", `The epic's branch ${branch} was deleted; nothing was merged.`, {
    hint: `Create it again: \`saga run ${storyId}\`.`,
  });
