// Decides the next step for a story's worktree from its situation. Pure. After each step the situation is
// read and decided again, so a kill between two steps costs nothing.

import { SagaError } from "../../errors.ts";
import { shellWord } from "../../text/shell-quote.ts";
import { GIT_IS_ADDING, type PresentWorktree } from "./place.ts";
import type { LostWorktree, Situation } from "./situation.ts";

export type WorktreeStep =
  | { readonly kind: "use"; readonly gitDir: string; readonly warning: string | undefined }
  | { readonly kind: "refuse"; readonly error: SagaError }
  /** Add a worktree at the commit `from`, creating the branch if `isNewBranch`. */
  | {
      readonly kind: "add";
      readonly from: string;
      readonly isNewBranch: boolean;
      readonly warning: string | undefined;
    }
  /** Check the files out into a worktree that was added without them. */
  | { readonly kind: "finish"; readonly gitDir: string; readonly head: string }
  /** Repair the git links of a worktree whose project was moved or copied. */
  | { readonly kind: "repair"; readonly gitDir: string }
  /** Remove the `.git` file that a killed `git worktree add` left. */
  | { readonly kind: "clear" }
  /** Unregister a worktree whose folder is gone. */
  | { readonly kind: "forget"; readonly lost: LostWorktree }
  | { readonly kind: "move-branch"; readonly to: string; readonly from: string | undefined }
  /** Put a detached HEAD on the branch: rename HEAD only, or switch the files too. */
  | { readonly kind: "attach"; readonly how: "name" | "switch" };

export function decide(situation: Situation, baseCommit: string): WorktreeStep {
  const { place, folder } = situation;
  switch (place.kind) {
    case "free":
      return decideFree(situation, baseCommit);
    case "worktree":
      return decidePresent(situation, place);
    case "incomplete":
      return { kind: "clear" };
    case "moved":
      return { kind: "repair", gitDir: place.gitDir };
    case "occupied":
      return refuse(
        `The worktree of ${situation.storyId} cannot be at ${folder}: it ${place.how}.`,
        {
          hint: "Nothing there was touched. Move it away and run the command again.",
        },
      );
  }
}

function decideFree(situation: Situation, baseCommit: string): WorktreeStep {
  const { branch, local, theirs, localToTheirs, otherCheckout } = situation;
  if (otherCheckout !== undefined) return refuseElsewhere(branch, otherCheckout);
  const [lost] = situation.lost;
  if (lost !== undefined) return decideLost(situation, lost);
  if (local === undefined) {
    const from = theirs ?? baseCommit;
    return { kind: "add", from, isNewBranch: true, warning: undefined };
  }
  if (theirs !== undefined && localToTheirs === "behind") {
    return { kind: "move-branch", to: theirs, from: local };
  }
  return { kind: "add", from: local, isNewBranch: false, warning: divergedWarning(situation) };
}

function decideLost({ branch }: Situation, lost: LostWorktree): WorktreeStep {
  const gone = `the folder ${lost.folder}, which does not exist`;
  if (lost.lock !== undefined && lost.lock !== GIT_IS_ADDING) {
    const reason = lost.lock === "" ? "" : ` (${lost.lock})`;
    return refuse(`The branch ${branch} belongs to a locked worktree${reason}: ${gone}.`, {
      hint: `Its disk may not be mounted. If the folder is gone for good, run \`git worktree unlock ${shellWord(lost.folder)}\`.`,
    });
  }
  if (!lost.isOwnPlace) {
    return refuse(`The branch ${branch} is checked out in ${gone}.`, {
      hint: `If the folder is gone for good, run \`git worktree remove ${shellWord(lost.folder)}\`.`,
    });
  }
  return { kind: "forget", lost };
}

function decidePresent(situation: Situation, place: PresentWorktree): WorktreeStep {
  const { branch, folder, local } = situation;
  if (place.inProgress !== undefined) {
    return refuse(`A ${place.inProgress} is in progress in ${folder}.`, {
      hint: `Finish it there, or abort it with \`git ${place.inProgress} ${place.inProgress === "bisect" ? "reset" : "--abort"}\`.`,
    });
  }
  if (place.branch === undefined) return decideDetached(situation, place);
  if (place.branch !== branch) {
    return refuse(`The worktree ${folder} is on the branch ${place.branch}, not on ${branch}.`, {
      hint: `Nothing was changed. Commit or stash its changes, then run \`git switch ${branch}\` there.`,
    });
  }
  if (local === undefined) {
    return refuse(`The branch ${branch} of the worktree ${folder} is gone.`, {
      hint: `Find its last commit with \`git reflog\` there, then run \`git update-ref refs/heads/${branch} <commit>\`.`,
    });
  }
  if (place.isUnfinished) return { kind: "finish", gitDir: place.gitDir, head: local };
  return { kind: "use", gitDir: place.gitDir, warning: remoteWarning(situation) };
}

/** HEAD is detached: neither commits made there nor changed files may be lost. */
function decideDetached(situation: Situation, place: PresentWorktree): WorktreeStep {
  const { branch, folder, local, otherCheckout } = situation;
  if (otherCheckout !== undefined) return refuseElsewhere(branch, otherCheckout);
  if (place.head === undefined) {
    return refuse(`The worktree ${folder} has no commit checked out.`, {
      hint: `Run \`git switch ${branch}\` there.`,
    });
  }
  if (local === undefined) return { kind: "move-branch", to: place.head, from: undefined };
  switch (place.headToBranch) {
    case "same":
      return { kind: "attach", how: "name" };
    case "ahead":
      return { kind: "move-branch", to: place.head, from: local };
    case "behind":
      if (!place.isDirty) return { kind: "attach", how: "switch" };
      return refuse(`The worktree ${folder} has changes on an older commit than ${branch}.`, {
        hint: `Commit or stash them there, then run \`git switch ${branch}\`.`,
      });
    case "apart":
    case undefined:
      return refuse(
        `The worktree ${folder} is at ${place.head} and its branch ${branch} at ${local}: neither contains the other.`,
        {
          hint: `Keep the commits with \`git branch <name> ${place.head}\`, then run \`git switch ${branch}\` there.`,
        },
      );
  }
}

function refuseElsewhere(branch: string, folder: string): WorktreeStep {
  return refuse(`The branch ${branch} is checked out in ${folder}.`, {
    hint: "Switch that checkout to another branch: a story's branch can only be checked out once.",
  });
}

const divergedWarning = ({ branch, remote, localToTheirs }: Situation): string | undefined =>
  localToTheirs === "apart"
    ? `${branch} and ${remote}/${branch} have diverged; the local branch is used.`
    : undefined;

const remoteWarning = (situation: Situation): string | undefined =>
  situation.localToTheirs === "behind"
    ? `${situation.remote}/${situation.branch} has commits that the worktree lacks; the worktree is used as it is.`
    : divergedWarning(situation);

const refuse = (sentence: string, { hint }: { readonly hint: string }): WorktreeStep => ({
  kind: "refuse",
  error: new SagaError("not-ready", sentence, { hint }),
});
