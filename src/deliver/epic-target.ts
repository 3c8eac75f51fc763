// The branch of an epic that is delivered as one, found again by whoever delivers into it: deleted by
// hand, it is made again with the stories that it had, and that is said.

import type { Context } from "../context.ts";
import { SagaError } from "../errors.ts";
import { findBase } from "../repo/repository.ts";
import { ensureEpicBranch, isEpicKnown } from "../repo/delivery/epic-branch.ts";
import { canPush } from "../repo/open-forge.ts";

export interface EpicBranchContext extends Pick<Context, "repository" | "forge" | "settings"> {
  readonly stop?: AbortSignal | undefined;
  readonly onWarning?: ((sentence: string) => void) | undefined;
  /** A merged branch starts again: a story is about to go into it. */
  readonly canRestart?: boolean | undefined;
}

/** One that was never there is left to the first story that is started. */
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
  new SagaError("not-found", `The branch ${branch} of the epic is gone.`, {
    hint: `\`saga run ${storyId}\` makes it again; nothing was merged.`,
  });
