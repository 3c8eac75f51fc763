// Puts finished branches on top of their target, one on top of the other, in git's object store. It writes no ref: the
// same branches on the same target give the same candidates.

import type { Git } from "../../machine/programs/git.ts";
import type { Amendment } from "../commits/amend-tree.ts";
import type { DeliveryRecord } from "../records/delivery-record.ts";
import type { GuardedRef } from "../sharing/lane-fence.ts";
import type { EditableFile } from "../worktree/uncommitted-edit.ts";
import { combine, type Combined, type MergeStyle } from "./combine.ts";
import { readConflict, type Conflict } from "./describe-conflict.ts";

export interface LandEntry {
  /** `story/<id>` or `epic/<id>`. */
  readonly branch: string;
  /**
   * The commit to land, for a branch that is reused from task to task; by default the branch's tip. An earlier
   * delivery counts only if it was of this commit.
   */
  readonly tip?: string | undefined;
  /** Where the story's own commits begin, if known; earlier ones are by others. */
  readonly start?: string | undefined;
  /** `rebase` by default. */
  readonly style?: MergeStyle | undefined;
  /** What people call it. */
  readonly title?: string | undefined;
  /** Its commits must arrive as they are, also Saga's own. */
  readonly keepsCommits?: boolean | undefined;
  /** The story's epic: its file belongs to the story like its own folder. */
  readonly epicId?: string | undefined;
  /** A file that may be merged while a person's checkout has uncommitted changes to it. */
  readonly editable?: EditableFile | undefined;
  /** The stories of an epic's branch: their folders belong to it. */
  readonly storyIds?: readonly string[] | undefined;
  /** Changes to Saga's own files that are part of the delivery. */
  readonly amendment?: Amendment | undefined;
  /** In a fleet: the story's owner at the remote, who must still be the same when the target moves. */
  readonly owner?: GuardedRef | undefined;
  /** What a person should know about its own files. */
  readonly onWarning?: ((sentence: string) => void) | undefined;
}

/** What a candidate was made of. */
export interface CommitParts {
  readonly tip: string;
  readonly onto: string;
  /** The same commit without the amendment, for the gate. */
  readonly work: string;
}

export interface LandCandidate<E extends LandEntry> extends CommitParts {
  readonly entry: E;
  readonly commit: string;
}

export interface NamedEntry<E extends LandEntry> {
  readonly entry: E;
  readonly storyId: string;
}

export type NamedCandidate<E extends LandEntry> = LandCandidate<E> & NamedEntry<E>;

/** An entry with the commit to land, and what of it the target has already. */
export interface ReadEntry<E extends LandEntry> extends NamedEntry<E> {
  readonly tip: string;
  readonly arrived: DeliveryRecord | undefined;
}

/** Why an entry has no candidate. */
export type LeftOut =
  /** The target already has all of it. */
  | { readonly kind: "arrived" }
  | ({ readonly kind: "conflict" } & Conflict)
  /** It conflicts with an earlier entry, or needs what that brings: it can be tried again. */
  | { readonly kind: "behind"; readonly branch: string };

export interface Composition<E extends LandEntry> {
  readonly candidates: readonly NamedCandidate<E>[];
  readonly leftOut: ReadonlyMap<ReadEntry<E>, LeftOut>;
}

export interface ComposeTarget {
  readonly branch: string;
  readonly onto: string;
}

/** `git`: at a scratch worktree at the target's commit, for its attributes. */
export async function compose<E extends LandEntry>(
  git: Git,
  entries: readonly ReadEntry<E>[],
  target: ComposeTarget,
): Promise<Composition<E>> {
  const candidates: NamedCandidate<E>[] = [];
  const leftOut = new Map<ReadEntry<E>, LeftOut>();
  for (const one of entries) {
    const last = candidates.at(-1);
    const top = last?.commit ?? target.onto;
    const combined = await combineOn(git, one, { ...target, onto: top });
    if (combined.kind === "ready") candidates.push({ ...one, ...combined, onto: top });
    else leftOut.set(one, await whyLeftOut(git, one, { target, combined, last }));
  }
  return { candidates, leftOut };
}

const combineOn = <E extends LandEntry>(
  git: Git,
  { entry, storyId, tip, arrived }: ReadEntry<E>,
  { branch, onto }: ComposeTarget,
): Promise<Combined> =>
  combine(git, {
    ...entry,
    storyId,
    style: entry.style ?? "rebase",
    tip,
    target: { branch, commit: onto },
    arrived,
  });

interface FailedEntry<E extends LandEntry> {
  readonly target: ComposeTarget;
  readonly combined: Exclude<Combined, { kind: "ready" }>;
  readonly last: NamedCandidate<E> | undefined;
}

/** Only a conflict with the target itself is the entry's own. */
async function whyLeftOut<E extends LandEntry>(
  git: Git,
  one: ReadEntry<E>,
  { target, combined, last }: FailedEntry<E>,
): Promise<LeftOut> {
  const alone = last ? await combineOn(git, one, target) : combined;
  if (alone.kind === "arrived") return { kind: "arrived" };
  if (alone.kind === "ready") return { kind: "behind", branch: last?.entry.branch ?? "" };
  const { tip, arrived } = one;
  const conflict = { ...alone, tip, onto: target.onto, arrived };
  return { kind: "conflict", ...(await readConflict(git, conflict)) };
}
