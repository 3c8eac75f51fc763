// Whether an agent's finish can be accepted, or what the agent has to do first.

import { neverCommitted } from "../../agent/place/sandbox.ts";
import { isWorktree, judgeCommittable, whyNotOnBranch } from "../../repo/commits/committable.ts";
import { hasChanged } from "../../repo/commits/pool-commit.ts";
import { finishConflict } from "../../repo/delivery/resolve-conflict.ts";
import type { Finish } from "./tools.ts";
import type { PreparedTaskWork } from "./context.ts";

/** Called while the agent still runs and can fix what is missing. */
export async function judgeFinish(
  work: PreparedTaskWork,
  { outcome }: Finish,
): Promise<string | undefined> {
  const { git, gitDir, worker, base, target } = work;
  const storyId = worker.name;
  const exclude = neverCommitted({ ...worker, folder: work.worktree, exclude: work.exclude });
  const place = { git, storyId, target: target.branch, exclude };
  const elsewhere = await whyNotOnBranch(git, storyId);
  if (elsewhere !== undefined) {
    const next = isWorktree(git) ? "Then call finish again." : "Report it with report_blocker.";
    return `${elsewhere} ${next}`;
  }
  // If the agent aborted the merge, the delivery conflicts again, and then for the last time.
  const merged = await finishConflict(place);
  if (merged.kind === "unresolved") {
    return `These files are not resolved yet: ${merged.files.join(", ")}. Edit them until no conflict marker is left, and \`git add\` those that need no change. Then call finish again.`;
  }
  const isChanged = await hasChanged({ git, storyId, start: base.commit, exclude });
  const mismatch = whyNotAsReported(outcome, { isChanged, folder: git.folder });
  if (mismatch !== undefined || outcome === "no_changes") return mismatch;
  const { problem } = await judgeCommittable(git, gitDir, storyId, exclude);
  return problem && `${problem} Then call finish again.`;
}

/** Whether the files are as the agent says, and what it has to do if not. */
export function whyNotAsReported(
  outcome: Finish["outcome"],
  { isChanged, folder }: { readonly isChanged: boolean; readonly folder: string },
): string | undefined {
  if (isChanged === (outcome === "done")) return undefined;
  return isChanged
    ? `There are changes in ${folder}. If they belong to the task, call finish with "done"; if not, undo them, and call finish again.`
    : 'No file has changed. Do the work of the task now; if it needs no change, call finish with "no_changes" and say why.';
}
