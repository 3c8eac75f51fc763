// Lets a story's agent resolve a conflict in the story's worktree.
//
// The target is merged into the story's branch there, and stopped at the conflict. The agent edits the conflicting
// files, and Saga writes the merge commit when no conflict is left. The branch then contains the target, so the next
// delivery does not conflict again. (A rebase could stop at every commit, with a detached HEAD in between.)
//
// The state is git's own (MERGE_HEAD): it survives a kill, `git status` shows it, and `git merge --abort` ends it. A
// record beside it (records/conflict-record.ts) names the commits: a merge that disappeared counts as resolved only if
// the branch contains the target's commit.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { SagaError } from "../../errors.ts";
import { ifThere, readTextIfThere, writeDurably } from "../../machine/files/files.ts";
import { answerOf, gitError, type Git } from "../../machine/programs/git.ts";
import { diskPath } from "../../machine/files/raw-bytes.ts";
import { storyBranch } from "../../story/definition/names.ts";
import { addAll } from "../stage-files.ts";
import {
  deleteConflictRecord,
  readConflictRecord,
  writeConflictRecord,
} from "../records/conflict-record.ts";
import { withArrived } from "../compose/combine.ts";
import { readConflict, type Conflict } from "../compose/describe-conflict.ts";
import { findArrived, readDeliveries } from "../records/delivery-record.ts";
import { entryAt } from "../lstat.ts";
import { askAsCommitter, committerFor } from "../committer.ts";
import { snapshotChanges, type Snapshot } from "../snapshots/snapshot.ts";
import { snapshotCommit } from "../snapshots/snapshot-commit.ts";
import { mergeStory } from "../compose/merge-story.ts";
import { mergeTips } from "../merge-tips.ts";
import { inProgress, isDirty } from "../worktree/place.ts";
import { isAncestor } from "../refs.ts";
import { steadily } from "../deterministic-git.ts";

export interface ConflictContext {
  /** At the story's worktree. */
  readonly git: Git;
  readonly storyId: string;
  /** The branch that the story is merged into. */
  readonly target: string;
  /** Provisioned paths, relative to the top folder. */
  readonly exclude: readonly string[];
}

export type PreparedConflict =
  | ({ readonly kind: "conflict" } & Conflict)
  /** Nothing to resolve: already merged, or merges without conflicts. */
  | { readonly kind: "none" };

/** Shows the base between the two sides of a conflict. */
const WITH_BASE = { "merge.conflictStyle": "diff3" };

/** Repeated during the same merge, it describes the conflict again. */
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

  const current = await mergeHead(git);
  if (current !== ours) await requireReady(place);
  await writeConflictRecord(git, storyId, { tip, onto, ours });
  if (current === ours) return { kind: "conflict", ...conflict };
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
  const merge = await git.attempt(["merge", "--quiet", ...flags, "--no-edit", "-m", text, ours], {
    env: await committerFor(git),
  });
  if ((await mergeHead(git)) === ours) {
    for (const [path, text] of texts) {
      writeDurably(join(git.folder, path), text);
      await git.ask(["add", "--", `:(top,literal)${path}`]);
    }
    return { kind: "conflict", ...conflict };
  }
  throw gitError(`${target} could not be merged in ${git.folder}: ${merge.stderr || merge.stdout}`);
}

async function nothingToResolve(git: Git, storyId: string): Promise<PreparedConflict> {
  await deleteConflictRecord(git, storyId);
  return { kind: "none" };
}

export type FinishedConflict =
  | { readonly kind: "merged"; readonly commit: string }
  /** Files with conflict markers, and files that cannot have any and were not resolved with `git add`. */
  | { readonly kind: "unresolved"; readonly files: readonly string[] }
  /** The merge was aborted or replaced, and the branch does not contain the target's commit. */
  | { readonly kind: "abandoned"; readonly onto: string }
  /** No merge was started. */
  | { readonly kind: "none" };

/** Writes the merge commit if no conflict is left. */
export async function finishConflict(place: ConflictContext): Promise<FinishedConflict> {
  const git = steadily(place.git, WITH_BASE);
  const { storyId } = place;
  const tip = await requireStory(place);
  const head = await mergeHead(git);
  const record = await readConflictRecord(git, storyId);
  if (record === undefined && head === undefined) return { kind: "none" };
  if (record !== undefined && !(await isAncestor(git, record.onto, head ?? tip))) {
    return { kind: "abandoned", onto: record.onto };
  }
  // A merge that the agent committed itself is checked too.
  const files = await unresolved(
    git,
    head === undefined && record
      ? { tip: record.tip, head: record.ours }
      : { tip, head: head ?? tip },
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

/** Aborts the merge. A snapshot keeps the agent's work so far. */
export async function abortConflict(place: ConflictContext): Promise<Snapshot | undefined> {
  const { git, storyId, target, exclude } = place;
  if ((await mergeHead(git)) === undefined) return undefined;
  const why = `before the merge of ${target} was aborted`;
  const snapshot = await snapshotChanges({ git, storyId, why, exclude });
  await git.ask(["merge", "--abort"]);
  return snapshot;
}

const message = ({ storyId, target }: ConflictContext): string =>
  `Merge ${target} into ${storyBranch(storyId)}\n\nSaga-Story: ${storyId}\n`;

/** Returns the story's last commit. */
async function requireStory({ git, storyId }: ConflictContext): Promise<string> {
  const branch = storyBranch(storyId);
  const head = await answerOf(git, ["symbolic-ref", "--quiet", "HEAD"]);
  if (head.stdout === `refs/heads/${branch}`) return git.ask(["rev-parse", "--verify", "HEAD"]);
  throw new SagaError("not-ready", `The worktree ${git.folder} is not on ${branch}.`, {
    hint: `Nothing was changed. Commit or stash its changes, then run \`git switch ${branch}\` there.`,
  });
}

async function requireReady({ git, exclude }: ConflictContext): Promise<void> {
  const operation = inProgress(await git.ask(["rev-parse", "--absolute-git-dir"]));
  if (operation !== undefined) {
    throw new SagaError("not-ready", `A ${operation} is in progress in ${git.folder}.`, {
      hint: "Finish or abort it there, and run the command again.",
    });
  }
  if (await isDirty(git, exclude)) {
    throw new SagaError("not-ready", `${git.folder} has uncommitted changes.`, {
      hint: "Commit or stash them: the merge would mix with them.",
    });
  }
}

async function mergeHead(git: Git): Promise<string | undefined> {
  const gitDir = await git.ask(["rev-parse", "--absolute-git-dir"]);
  return readTextIfThere(join(gitDir, "MERGE_HEAD"))?.trim();
}

/** Computes the conflicts again, because an agent can change the index at will. */
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
    // A deleted or binary file has no conflict markers; only `git add` can say that it is resolved.
    if (isMarked || (open.has(path) && !(await hadMarks(git, merged.tree, path)))) files.push(path);
  }
  return files.toSorted();
}

const MARKS = /^(?:<{7}|\|{7}|>{7}) /m;

async function hadMarks(git: Git, tree: string, path: string): Promise<boolean> {
  const blob = await answerOf(git, ["cat-file", "blob", `${tree}:${path}`]);
  return blob.isOk && MARKS.test(blob.stdout);
}
