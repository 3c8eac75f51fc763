// A conflict handed to the story's own agent, in the story's worktree.
//
// The target is merged into the story's branch there, and left where it conflicts: the agent sees both
// sides in the files it knows, works on them, and Saga makes the merge commit when nothing is open any
// more. The branch then contains the target, so that the next delivery has nothing to put together:
// what was resolved once is not asked for again. (A rebase would ask once for each commit, and leave a
// worktree on no branch in between.)
//
// The state is git's own (MERGE_HEAD): it survives a kill, `git status` tells it, and `git merge
// --abort` ends it. What it is about is recorded beside it (begun-conflict.ts): a merge that is gone is
// resolved only when the branch has what was to be merged.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { SagaError } from "../../errors.ts";
import { ifThere, readTextIfThere, writeDurably } from "../../machine/files/files.ts";
import type { Git } from "../../machine/programs/git.ts";
import { diskPath } from "../../machine/files/raw-bytes.ts";
import { storyBranch } from "../../story/definition/names.ts";
import { addAll } from "../stage-files.ts";
import {
  deleteConflictRecord,
  readConflictRecord,
  writeConflictRecord,
} from "../records/conflict-record.ts";
import { withArrived } from "./combine.ts";
import { readConflict, type Conflict } from "./describe-conflict.ts";
import { findArrived, readDeliveries } from "../records/delivery-record.ts";
import { entryAt } from "../lstat.ts";
import { askAsCommitter, committerFor } from "../committer.ts";
import { snapshotChanges, type Snapshot } from "../snapshots/snapshot.ts";
import { snapshotCommit } from "../snapshots/snapshot-commit.ts";
import { mergeStory } from "./merge-story.ts";
import { mergeTips } from "../merge-tips.ts";
import { inProgress, isDirty } from "../worktree/place.ts";
import { isAncestor } from "../refs.ts";
import { steadily } from "../deterministic-git.ts";

export interface ConflictContext {
  /** At the story's worktree. */
  readonly git: Git;
  readonly storyId: string;
  /** The branch that the story goes into. */
  readonly target: string;
  /** What was put into the worktree for it alone: paths from the top folder. */
  readonly exclude: readonly string[];
}

export type PreparedConflict =
  | ({ readonly kind: "conflict" } & Conflict)
  /** There is nothing to resolve: it is merged already, or merges by itself. */
  | { readonly kind: "none" };

/** Both sides, and what they have in common, between the marks. */
const WITH_BASE = { "merge.conflictStyle": "diff3" };

/** May be repeated: a merge of the same that is in progress is described as it is. */
export async function prepareConflict(
  place: ConflictContext & { readonly onto: string },
): Promise<PreparedConflict> {
  const { storyId, target, onto } = place;
  const git = steadily(place.git, WITH_BASE);
  const tip = await requireStory(place);
  if (await isAncestor(git, onto, tip)) return nothingToResolve(git, storyId);
  const arrived = await findArrived(git, await readDeliveries(git, storyId), { tip, target: onto });
  const ours = await withArrived(git, onto, arrived);
  const { merged, texts } = await mergeStory(git, { ours, theirs: tip, storyIds: [storyId] });
  if (merged.kind === "clean") return nothingToResolve(git, storyId);
  const conflict = await readConflict(git, { ours, onto, tip, arrived, files: merged.files });

  const begun = await mergeHead(git);
  if (begun !== ours) await requireReady(place);
  await writeConflictRecord(git, storyId, { tip, onto, ours });
  if (begun === ours) return { kind: "conflict", ...conflict };
  await snapshotCommit(git, storyId, { tip, why: `before ${target} was merged into it` });
  const flags = [
    "--strategy=ort",
    "--no-commit",
    "--no-ff",
    "--no-squash",
    "--no-stat",
    "--no-rerere-autoupdate",
  ];
  const text = message(place);
  const said = await git.attempt(["merge", "--quiet", ...flags, "--no-edit", "-m", text, ours], {
    env: await committerFor(git),
  });
  if ((await mergeHead(git)) === ours) {
    for (const [path, text] of texts) {
      writeDurably(join(git.folder, path), text);
      await git.ask(["add", "--", `:(top,literal)${path}`]);
    }
    return { kind: "conflict", ...conflict };
  }
  throw new SagaError(
    "program-failed",
    `${target} could not be merged in ${git.folder}: ${said.stderr || said.stdout}`,
    { hint: "Nothing was changed. Put right what git says, and run the command again." },
  );
}

async function nothingToResolve(git: Git, storyId: string): Promise<PreparedConflict> {
  await deleteConflictRecord(git, storyId);
  return { kind: "none" };
}

export type FinishedConflict =
  | { readonly kind: "merged"; readonly commit: string }
  /** Files that still have marks, or that have none and were not marked as resolved with `git add`. */
  | { readonly kind: "unresolved"; readonly files: readonly string[] }
  /** The merge is gone, or is another one, and the branch does not have that commit of the target. */
  | { readonly kind: "abandoned"; readonly onto: string }
  /** None was begun. */
  | { readonly kind: "none" };

/** The merge commit, when nothing is open any more. */
export async function finishConflict(place: ConflictContext): Promise<FinishedConflict> {
  const git = steadily(place.git, WITH_BASE);
  const { storyId } = place;
  const tip = await requireStory(place);
  const head = await mergeHead(git);
  const begun = await readConflictRecord(git, storyId);
  if (begun === undefined && head === undefined) return { kind: "none" };
  if (begun !== undefined && !(await isAncestor(git, begun.onto, head ?? tip))) {
    return { kind: "abandoned", onto: begun.onto };
  }
  // Committed by the agent itself, it is looked at all the same.
  const files = await unresolved(
    git,
    head === undefined && begun ? { tip: begun.tip, head: begun.ours } : { tip, head: head ?? tip },
  );
  if (files.length > 0) return { kind: "unresolved", files };
  if (head !== undefined) await commitMerge(place);
  await deleteConflictRecord(git, storyId);
  return { kind: "merged", commit: await git.ask(["rev-parse", "--verify", "HEAD"]) };
}

async function commitMerge(place: ConflictContext): Promise<void> {
  await addAll(place.git, place.exclude);
  const commit = ["commit", "--quiet", "--no-verify", "--cleanup=whitespace", "--file=-"];
  await askAsCommitter(place.git, [...commit, "--allow-empty"], message(place));
}

/** Back to before. What was worked out so far is kept as a snapshot. */
export async function abortConflict(place: ConflictContext): Promise<Snapshot | undefined> {
  const { git, storyId, target, exclude } = place;
  if ((await mergeHead(git)) === undefined) return undefined;
  const why = `before the merge of ${target} was given up`;
  const kept = await snapshotChanges({ git, storyId, why, exclude });
  await git.ask(["merge", "--abort"]);
  return kept;
}

const message = ({ storyId, target }: ConflictContext): string =>
  `Merge ${target} into ${storyBranch(storyId)}\n\nSaga-Story: ${storyId}\n`;

/** The story's last commit. */
async function requireStory({ git, storyId }: ConflictContext): Promise<string> {
  const branch = storyBranch(storyId);
  const head = await git.attempt(["symbolic-ref", "--quiet", "HEAD"]);
  if (head.stdout === `refs/heads/${branch}`) return git.ask(["rev-parse", "--verify", "HEAD"]);
  throw new SagaError("not-ready", `The worktree ${git.folder} is not on ${branch}.`, {
    hint: `Nothing was changed. Run \`git switch ${branch}\` there when its changes are safe.`,
  });
}

async function requireReady({ git, exclude }: ConflictContext): Promise<void> {
  const begun = inProgress(await git.ask(["rev-parse", "--absolute-git-dir"]));
  if (begun !== undefined) {
    throw new SagaError("not-ready", `There is a ${begun} in progress in ${git.folder}.`, {
      hint: "Finish it or give it up there, and run the command again.",
    });
  }
  if (await isDirty(git, exclude)) {
    throw new SagaError("not-ready", `${git.folder} has changes that are not committed.`, {
      hint: "Commit them, or keep them elsewhere: a merge would mix with them.",
    });
  }
}

async function mergeHead(git: Git): Promise<string | undefined> {
  const gitDir = await git.ask(["rev-parse", "--absolute-git-dir"]);
  return readTextIfThere(join(gitDir, "MERGE_HEAD"))?.trim();
}

/** What conflicted is worked out anew: an agent may have told git anything about its index. */
async function unresolved(
  git: Git,
  { tip, head }: { readonly tip: string; readonly head: string },
): Promise<string[]> {
  const merged = await mergeTips(git, tip, head);
  const paths = merged.kind === "clean" ? [] : merged.files.map(({ path }) => path);
  const listed = await git.ask(["ls-files", "--unmerged", "-z"]);
  const open = new Set(listed.split("\0").map((entry) => entry.slice(entry.indexOf("\t") + 1)));
  const files: string[] = [];
  for (const path of new Set([...paths, ...[...open].filter((name) => name !== "")])) {
    const file = join(git.folder, path);
    const isFile = entryAt(file)?.isFile() ?? false;
    const text = isFile ? ifThere(() => readFileSync(diskPath(file), "latin1")) : undefined;
    const isMarked = MARKS.test(text ?? "");
    // Without marks (one side deleted it, or it is no text) only git can be told that it is decided.
    if (isMarked || (open.has(path) && !(await hadMarks(git, merged.tree, path)))) files.push(path);
  }
  return files.toSorted();
}

const MARKS = /^(?:<{7}|\|{7}|>{7}) /m;

async function hadMarks(git: Git, tree: string, path: string): Promise<boolean> {
  const blob = await git.attempt(["cat-file", "blob", `${tree}:${path}`]);
  return blob.isOk && MARKS.test(blob.stdout);
}
