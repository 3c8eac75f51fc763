// Makes a story's worktree usable from any state: reads the situation, decides a step, takes it, and repeats
// until no step is left. Existing files are never reset, cleaned or overwritten.

import { rmdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { SagaError } from "../../errors.ts";
import { makeFolder } from "../../machine/files/files.ts";
import { gitError } from "../../machine/programs/git.ts";
import { headRef, ownGitDir } from "../../machine/programs/head.ts";
import { requireId } from "../../story/definition/names.ts";
import type { Repository } from "../repository.ts";
import { carryIfMissing, type CarryRequest } from "./bring-story.ts";
import { finishCheckout } from "./checkout.ts";
import { decide, type WorktreeStep } from "./decide.ts";
import { unregisterWorktree } from "./unregister-worktree.ts";
import { writeBackLink, repairLinks } from "./git-links.ts";
import { commitOf, moveRef } from "../refs.ts";
import { readSituation, type Situation } from "./situation.ts";

export interface WorktreeRequest extends CarryRequest {
  readonly onWarning?: ((sentence: string) => void) | undefined;
}

export interface PreparedWorktree {
  readonly folder: string;
  readonly branch: string;
  /** The worktree's own git folder. */
  readonly gitDir: string;
  /** Created or completed by this call. */
  readonly isNew: boolean;
  readonly warnings: readonly string[];
}

/** Every state needs fewer steps; more would mean that a step has no effect. */
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
  for (let step = 0; step < MAX_STEPS; step++) {
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
  throw new SagaError(
    "bug",
    `The worktree of ${storyId} is still not usable after ${MAX_STEPS} steps.`,
  );
}

interface StepContext extends WorktreeRequest {
  readonly warn: (sentence: string) => void;
}

async function takeStep(
  step: Exclude<WorktreeStep, { readonly kind: "use" }>,
  situation: Situation,
  context: StepContext,
): Promise<void> {
  const { repository } = context;
  const { folder, branch } = situation;
  switch (step.kind) {
    case "refuse":
      throw step.error;
    case "add":
      return add(repository, situation, step);
    case "finish":
      return finishCheckout(context, { folder, branch, gitDir: step.gitDir, head: step.head });
    case "repair":
      return repairLinks(folder, step.gitDir);
    case "clear":
      rmSync(join(folder, ".git"));
      return rmdirSync(folder);
    case "forget":
      if (step.lost.isForeign) return writeBackLink(folder, step.lost.gitDir);
      return unregisterWorktree(repository, situation, step.lost);
    case "move-branch": {
      const moved = await moveRef(repository.git, { ref: `refs/heads/${branch}`, ...step });
      if (moved.isOk) return;
      throw new SagaError("program-failed", `${branch} could not be moved: ${moved.stderr}`, {
        hint: "No work was lost. Run the command again.",
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
  // Branch and worktree are two commands, so that each can be repeated on its own.
  const made = isNewBranch && (await git.attempt(["branch", "--no-track", branch, from]));
  // Without files: the story's own folder comes first (bring-story.ts).
  const add = ["worktree", "add", "--quiet", "--no-checkout", folder, branch];
  const added = made && !made.isOk ? made : await git.attempt(add);
  if (added.isOk) return;
  const [prefix = ""] = branch.split("/");
  if (!isNewBranch || !(await commitOf(git, `refs/heads/${prefix}`))) {
    throw gitError(`The worktree ${folder} could not be created: ${added.stderr}`);
  }
  throw new SagaError(
    "program-failed",
    `The branch ${branch} cannot be created while there is a branch ${prefix}.`,
    { hint: `Rename that one: \`git branch -m ${prefix} <another name>\`.` },
  );
}

/** A last check that commits made here land on the story's branch in this repository. */
async function verify(repository: Repository, { folder, branch }: Situation): Promise<void> {
  const git = repository.git.at(folder);
  const isOurs = ownGitDir(git) !== undefined;
  if (isOurs && (await headRef(git)) === `refs/heads/${branch}`) return;
  throw new SagaError("unsafe-path", `${folder} is not the worktree of ${branch}.`, {
    hint: "Nothing there was touched. Move it away and run the command again.",
  });
}
