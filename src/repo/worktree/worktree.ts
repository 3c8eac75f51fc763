// A story's worktree, from whatever state it is in: the situation is read, a step decided, the step
// taken, until all is in order. Nothing that is there is reset, cleaned or overwritten.

import { realpathSync, rmdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { SagaError } from "../../errors.ts";
import { makeFolder } from "../../machine/files/files.ts";
import { requireId } from "../../story/definition/names.ts";
import type { Base, Repository } from "../repository.ts";
import { carryIfMissing } from "./bring-story.ts";
import { finishCheckout } from "./checkout.ts";
import { decide, type WorktreeStep } from "./decide.ts";
import { forgetWorktree } from "./forget.ts";
import { writeBackLink, repairLinks } from "./git-links.ts";
import { commitOf, moveRef } from "../refs.ts";
import { readSituation, type Situation } from "./situation.ts";

export interface WorktreeRequest {
  readonly repository: Repository;
  readonly storyId: string;
  readonly base: Base;
  /** Copies the story's files from the project into a worktree: whole or not at all. */
  readonly carryStory: (folder: string) => Promise<void>;
  readonly onWarning?: ((sentence: string) => void) | undefined;
}

export interface PreparedWorktree {
  readonly folder: string;
  readonly branch: string;
  /** Where git keeps what is this worktree's own. */
  readonly gitDir: string;
  /** Made, or completed, by this call. */
  readonly isNew: boolean;
  readonly warnings: readonly string[];
}

/** From any state it takes fewer; more would mean that a step does not do what it says. */
const MAX_STEPS = 12;

export async function prepareWorktree(request: WorktreeRequest): Promise<PreparedWorktree> {
  const { repository, base } = request;
  const storyId = requireId("story", request.storyId);
  const warnings: string[] = [];
  const warn = (sentence: string | undefined): void => {
    if (sentence === undefined || warnings.includes(sentence)) return;
    warnings.push(sentence);
    request.onWarning?.(sentence);
  };
  let isNew = false;
  for (let taken = 0; taken < MAX_STEPS; taken++) {
    const situation = await readSituation(repository, storyId);
    const step = decide(situation, base.commit);
    if (step.kind === "use" || step.kind === "add") warn(step.warning);
    if (step.kind === "use") {
      const { folder, branch } = situation;
      await verify(repository, situation);
      await carryIfMissing(request, folder);
      return { folder, branch, gitDir: step.gitDir, isNew, warnings };
    }
    isNew ||= step.kind === "add" || step.kind === "finish";
    await takeStep(step, situation, { ...request, warn });
  }
  throw new SagaError("bug", `The worktree of ${storyId} does not come into order.`);
}

interface StepContext extends WorktreeRequest {
  readonly warn: (sentence: string) => void;
}

async function takeStep(
  step: Exclude<WorktreeStep, { readonly kind: "use" }>,
  situation: Situation,
  doing: StepContext,
): Promise<void> {
  const { repository } = doing;
  const { folder, branch } = situation;
  switch (step.kind) {
    case "refuse":
      throw step.error;
    case "add":
      return add(repository, situation, step);
    case "finish":
      return finishCheckout(doing, { folder, branch, gitDir: step.gitDir, head: step.head });
    case "repair":
      return repairLinks(folder, step.gitDir);
    case "clear":
      rmSync(join(folder, ".git"));
      return rmdirSync(folder);
    case "forget":
      if (step.lost.isForeign) return writeBackLink(folder, step.lost.gitDir);
      return forgetWorktree(repository, situation, step.lost);
    case "move-branch": {
      const moved = await moveRef(repository.git, { ref: `refs/heads/${branch}`, ...step });
      if (moved.isOk) return;
      throw new SagaError("program-failed", `${branch} could not be moved: ${moved.stderr}`, {
        hint: "Nothing was lost. Run the command again.",
      });
    }
    case "attach": {
      const git = repository.git.at(folder);
      await (step.how === "name"
        ? git.ask(["symbolic-ref", "-m", "saga: attach", "HEAD", `refs/heads/${branch}`])
        : git.ask(["switch", "--quiet", "--no-overwrite-ignore", "--no-guess", branch]));
    }
  }
}

async function add(
  { git }: Repository,
  { folder, branch }: Situation,
  { from, isNewBranch }: Extract<WorktreeStep, { readonly kind: "add" }>,
): Promise<void> {
  makeFolder(dirname(folder));
  // One step after the other: each of them can be tried again by itself.
  const made = isNewBranch && (await git.attempt(["branch", "--no-track", branch, from]));
  // Without the files: the story's own are brought first, so that none of their changes is missed.
  const add = ["worktree", "add", "--quiet", "--no-checkout", folder, branch];
  const added = made && !made.isOk ? made : await git.attempt(add);
  if (added.isOk) return;
  const [prefix = ""] = branch.split("/");
  const inTheWay = isNewBranch && (await commitOf(git, `refs/heads/${prefix}`));
  throw new SagaError(
    "program-failed",
    inTheWay
      ? `The branch ${branch} cannot be made, because there is a branch ${prefix}.`
      : `The worktree ${folder} could not be made: ${added.stderr}`,
    {
      hint: inTheWay
        ? `Rename it: \`git branch -m ${prefix} <another name>\`.`
        : "Nothing was lost. Put right what git says, and run the command again.",
    },
  );
}

/** The last look: commits made here land on the story's branch in this repository, nowhere else. */
async function verify(repository: Repository, { folder, branch }: Situation): Promise<void> {
  const said = await repository.git
    .at(folder)
    .ask(
      ["rev-parse", "--symbolic-full-name", "HEAD", "--show-prefix"].concat(
        "--path-format=absolute",
        "--git-common-dir",
      ),
    );
  const [head, prefix, ...commonDir] = said.split("\n");
  const isRight =
    head === `refs/heads/${branch}` &&
    prefix === "" &&
    realpathSync.native(commonDir.join("\n")) === repository.commonDir;
  if (isRight) return;
  throw new SagaError("unsafe-path", `${folder} is not the worktree of ${branch}.`, {
    hint: "Nothing there was touched. Move it away, and run the command again.",
  });
}
