// A person's checkout of the target: whether it may be updated with the target, and the update. It is refused while work
// is in progress there.

import { existsSync } from "node:fs";
import { messageOf } from "../../errors.ts";
import type { Git, GitResult } from "../../machine/programs/git.ts";
import { headRef, requireGitDir } from "../../machine/programs/head.ts";
import { steadily } from "../deterministic-git.ts";
import { commitOf } from "../refs.ts";
import { inProgress } from "../worktree/place.ts";
import { stageArriving, type EditableFile, type StagedEdit } from "../worktree/uncommitted-edit.ts";
import {
  moveUntrackedFiles,
  putBackMovedFiles,
  type MovedFiles,
  type OwnFiles,
} from "./untracked-files.ts";

export interface CheckoutUpdate {
  readonly from: string;
  readonly to: string;
  /** Whether a clean checkout of the target may be updated. */
  readonly updateCheckouts: boolean;
  /** The delivered stories and the folders that belong to them, relative to the top folder. */
  readonly own: readonly (Pick<OwnFiles, "storyId" | "folders" | "tip"> & {
    readonly onWarning?: ((sentence: string) => void) | undefined;
  })[];
  /** Files that may be merged while a person's checkout has uncommitted changes to them. */
  readonly editable?: readonly EditableFile[] | undefined;
  /** Called right before the target moves. */
  readonly onMove?: (() => void) | undefined;
  readonly onWarning?: ((sentence: string) => void) | undefined;
}

/** A checkout that keeps the target from being moved. */
export interface BusyCheckout {
  readonly folder: string;
  readonly why: string;
  /** Whether only the permission to update it is missing. */
  readonly isUpdatable: boolean;
  /** Files with changes that are not committed. */
  readonly files: readonly string[];
}

export type Refusal = Omit<BusyCheckout, "folder">;

const refusal = (why: string, files: readonly string[] = []): Refusal => ({
  why,
  isUpdatable: false,
  files,
});

export const NOT_ALLOWED: Refusal = {
  why: "Updating it needs your permission.",
  isUpdatable: true,
  files: [],
};

/** Undefined when the checkout was updated. */
export async function updateCheckout(
  git: Git,
  ref: string,
  step: CheckoutUpdate,
): Promise<Refusal | undefined> {
  const busy = await whyNotUpdatable(git, ref);
  if (busy !== undefined) return busy;
  if (!step.updateCheckouts) return NOT_ALLOWED;
  const { from, to, own, onWarning } = step;
  if ((await commitOf(git, "HEAD")) !== from) return refusal("It got new commits in the meantime.");
  step.onMove?.();
  putBackMovedFiles({ git, folders: own.flatMap(({ folders }) => folders) });
  const refused = await fastForward(git, to);
  if (refused === undefined || (await commitOf(git, "HEAD")) !== from) return refused;
  const edits: StagedEdit[] = [];
  const moved: (MovedFiles & (typeof own)[number])[] = [];
  const undo = async (): Promise<void> => {
    for (const { putBack } of moved) putBack();
    for (const edit of edits) await edit.undo();
  };
  try {
    for (const file of step.editable ?? []) {
      const edit = await stageArriving(git, file, { from, to });
      if (edit) edits.push(edit);
    }
    for (const one of own) {
      moved.push({ ...one, ...(await moveUntrackedFiles({ git, ...one, from, to })) });
    }
  } catch (error) {
    await undo();
    throw error;
  }
  if (moved.every(({ paths }) => paths.length === 0) && edits.length === 0) return refused;
  const refusedAgain = await fastForward(git, to);
  if (refusedAgain !== undefined) {
    await undo();
    return refusedAgain;
  }
  // The merge is done by now.
  for (const edit of edits) {
    await edit.finish().catch((error: unknown) => onWarning?.(messageOf(error)));
  }
  for (const { snapshot, storyId, onWarning: warn = onWarning } of moved) {
    if (snapshot === undefined) continue;
    warn?.(
      `Your uncommitted copy of ${storyId}'s files in ${git.folder} was replaced by the merged one; the old copy is in the snapshot ${snapshot.ref} (\`saga snapshot list ${storyId}\`).`,
    );
  }
  return undefined;
}

/** Whether a person's work is in progress in the checkout. */
export async function whyNotUpdatable(git: Git, ref: string): Promise<Refusal | undefined> {
  if (!existsSync(git.folder)) return refusal("Its folder does not exist.");
  if ((await headRef(git)) !== ref) return refusal("A rebase or bisect is in progress there.");
  const operation = inProgress(await requireGitDir(git));
  if (operation !== undefined) return refusal(`A ${operation} is in progress there.`);
  const look = ["status", "--porcelain", "-z", "--untracked-files=no", "--ignore-submodules=none"];
  const changes = await git.ask([...look, "--no-renames", "--", ":(top)", ...EPIC_FILES], {
    env: { GIT_OPTIONAL_LOCKS: "0" },
  });
  if (changes === "") return undefined;
  // `XY path`; without renames each entry has one path.
  const files = changes.split("\0").flatMap((entry) => entry.slice(3) || []);
  return refusal(`It has uncommitted changes: ${listed(files)}.`, files);
}

/** Enough to recognise the work. */
const MAX_NAMES = 5;

const listed = (files: readonly string[]): string => {
  const more = files.length - MAX_NAMES;
  return more <= 0 ? files.join(", ") : `${files.slice(0, MAX_NAMES).join(", ")} and ${more} more`;
};

/**
 * Saga itself writes an epic's pull request into this file, in whatever is checked out. That is not a person's work.
 * If the merge changes the file too, git refuses.
 */
const EPIC_FILES = [":(top,exclude,glob)**/.saga/epics/*/epic.json"];

async function fastForward(git: Git, to: string): Promise<Refusal | undefined> {
  // Git itself refuses to overwrite untracked and ignored files.
  const flags = [
    "--ff-only",
    "--no-squash",
    "--no-stat",
    "--no-autostash",
    "--no-overwrite-ignore",
  ];
  return refusalOf(await steadily(git).attempt(["merge", "--quiet", ...flags, to]));
}

export const refusalOf = (result: GitResult): Refusal | undefined =>
  result.isOk ? undefined : refusal(result.stderr);
