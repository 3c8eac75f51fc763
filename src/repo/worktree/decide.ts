// What is to be done for a story's worktree, from how things stand. Pure. Each step leads to a
// situation that is read and decided anew, so that being killed between two of them costs nothing.

import { SagaError } from "../../errors.ts";
import { shellWord } from "../../text/shell-quote.ts";
import { GIT_IS_ADDING, type PresentWorktree } from "./place.ts";
import type { LostWorktree, Situation } from "./situation.ts";

export type WorktreeStep =
  /** All is in order. */
  | { readonly kind: "use"; readonly gitDir: string; readonly warning: string | undefined }
  | { readonly kind: "refuse"; readonly error: SagaError }
  /** From this commit; `isNewBranch` when the branch is made with it. */
  | {
      readonly kind: "add";
      readonly from: string;
      readonly isNewBranch: boolean;
      readonly warning: string | undefined;
    }
  /** Bring the files into a worktree that was only begun. */
  | { readonly kind: "finish"; readonly gitDir: string; readonly head: string }
  /** Set the pointers of a worktree right, whose project was moved or copied. */
  | { readonly kind: "repair"; readonly gitDir: string }
  /** Take away the `.git` file of an addition that was killed. */
  | { readonly kind: "clear" }
  /** Let git forget a worktree whose folder is gone. */
  | { readonly kind: "forget"; readonly lost: LostWorktree }
  /** Move the branch, and attach HEAD to it where that is a worktree's. */
  | { readonly kind: "move-branch"; readonly to: string; readonly from: string | undefined }
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
          hint: "Nothing there was touched. Move it away, and run the command again.",
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
  return { kind: "add", from: local, isNewBranch: false, warning: apartFrom(situation) };
}

function decideLost({ branch }: Situation, lost: LostWorktree): WorktreeStep {
  const gone = `the folder ${lost.folder}, which is not there`;
  if (lost.lock !== undefined && lost.lock !== GIT_IS_ADDING) {
    const reason = lost.lock === "" ? "" : ` (${lost.lock})`;
    return refuse(`The branch ${branch} belongs to a locked worktree${reason}: ${gone}.`, {
      hint: `Its disk may not be mounted. If it is gone for good, run \`git worktree unlock ${shellWord(lost.folder)}\`.`,
    });
  }
  if (!lost.isOwnPlace) {
    return refuse(`The branch ${branch} is checked out in ${gone}.`, {
      hint: `If it is gone for good, run \`git worktree remove ${shellWord(lost.folder)}\`.`,
    });
  }
  return { kind: "forget", lost };
}

function decidePresent(situation: Situation, place: PresentWorktree): WorktreeStep {
  const { branch, folder, local } = situation;
  if (place.inProgress !== undefined) {
    return refuse(`There is a ${place.inProgress} in progress in ${folder}.`, {
      hint: `Finish it there, or give it up with \`git ${place.inProgress} ${place.inProgress === "bisect" ? "reset" : "--abort"}\`.`,
    });
  }
  if (place.branch === undefined) return decideDetached(situation, place);
  if (place.branch !== branch) {
    return refuse(`The worktree ${folder} is on the branch ${place.branch}, not on ${branch}.`, {
      hint: `Nothing was touched. Run \`git switch ${branch}\` there when its changes are safe.`,
    });
  }
  if (local === undefined) {
    return refuse(`The branch ${branch} of the worktree ${folder} is gone.`, {
      hint: `\`git reflog\` there shows its last commit; \`git update-ref refs/heads/${branch} <commit>\` brings it back.`,
    });
  }
  if (place.isUnfinished) return { kind: "finish", gitDir: place.gitDir, head: local };
  return { kind: "use", gitDir: place.gitDir, warning: behindOrApart(situation) };
}

/** No branch is checked out: what was committed there must not be lost, nor anything in the files. */
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
        hint: `Commit or stash them there, and run \`git switch ${branch}\`.`,
      });
    case "apart":
    case undefined:
      return refuse(
        `The worktree ${folder} is at ${place.head}, and its branch ${branch} is at ${local}: neither contains the other.`,
        {
          hint: `Keep the commits with \`git branch <name> ${place.head}\`, then run \`git switch ${branch}\` there.`,
        },
      );
  }
}

function refuseElsewhere(branch: string, folder: string): WorktreeStep {
  return refuse(`The branch ${branch} is checked out in ${folder}.`, {
    hint: "Switch to another branch there: a story's branch is worked on in one place.",
  });
}

const apartFrom = ({ branch, remote, localToTheirs }: Situation): string | undefined =>
  localToTheirs === "apart"
    ? `${branch} and ${remote}/${branch} have gone apart; the one in this repository is used.`
    : undefined;

const behindOrApart = (situation: Situation): string | undefined =>
  situation.localToTheirs === "behind"
    ? `${situation.remote}/${situation.branch} has commits that the worktree does not have; the worktree is used as it is.`
    : apartFrom(situation);

const refuse = (sentence: string, { hint }: { readonly hint: string }): WorktreeStep => ({
  kind: "refuse",
  error: new SagaError("not-ready", sentence, { hint }),
});
