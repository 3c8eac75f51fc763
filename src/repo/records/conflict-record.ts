// Records a conflict that an agent is asked to resolve: `refs/saga/conflict/<story>`, a commit with the ids in
// its message. Git's own MERGE_HEAD disappears if the agent aborts the merge.

import type { SagaError } from "../../errors.ts";
import { gitError, type Git } from "../../machine/programs/git.ts";
import { storyBranch } from "../../story/definition/names.ts";
import { commitOf, deleteRef, moveRef } from "../refs.ts";
import { lastCommittedAt, writeCommit } from "../write-commit.ts";

export interface ConflictRecord {
  /** The story's last commit before the merge. */
  readonly tip: string;
  /** The target's commit. */
  readonly onto: string;
  /** The commit to merge: the target, joined with work of the story that already arrived in it. */
  readonly ours: string;
}

const refOf = (storyId: string): string => `refs/saga/conflict/${storyId}`;

export async function readConflictRecord(
  git: Git,
  storyId: string,
): Promise<ConflictRecord | undefined> {
  return parseConflictRecord(
    await git.ask(["for-each-ref", "--format=%(contents)", refOf(storyId)]),
  );
}

/** Undefined if an id is missing. */
export function parseConflictRecord(text: string): ConflictRecord | undefined {
  const field = (name: string): string | undefined =>
    new RegExp(`^Saga-${name}: (?<id>[0-9a-f]+)$`, "m").exec(text)?.groups?.["id"];
  const [tip, onto, ours] = [field("Tip"), field("Onto"), field("Ours")];
  return tip && onto && ours ? { tip, onto, ours } : undefined;
}

/** Call it before the merge starts. The commits that it names stay reachable. */
export async function writeConflictRecord(
  git: Git,
  storyId: string,
  begun: ConflictRecord,
): Promise<void> {
  const { tip, onto, ours } = begun;
  const parents = [...new Set([tip, ours, onto])];
  const record = await writeCommit(git, {
    tree: `${tip}^{tree}`,
    parents,
    message: conflictMessage(storyId, begun),
    committedAt: await lastCommittedAt(git, parents),
  });
  const from = await commitOf(git, refOf(storyId));
  // The same input gives the same commit.
  if (from === record) return;
  const moved = await moveRef(git, { ref: refOf(storyId), to: record, from });
  if (!moved.isOk) throw notRecorded(storyId, moved.stderr);
}

export const conflictMessage = (storyId: string, { tip, onto, ours }: ConflictRecord): string =>
  `A conflict of ${storyBranch(storyId)}\n\nSaga-Tip: ${tip}\nSaga-Onto: ${onto}\nSaga-Ours: ${ours}\n`;

export async function deleteConflictRecord(git: Git, storyId: string): Promise<void> {
  const record = await commitOf(git, refOf(storyId));
  if (record === undefined) return;
  const gone = await deleteRef(git, refOf(storyId), record);
  if (!gone.isOk) throw notRecorded(storyId, gone.stderr);
}

const notRecorded = (storyId: string, error: string): SagaError =>
  gitError(`The conflict of ${storyId} could not be recorded: ${error}`);
