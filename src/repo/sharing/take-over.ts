// What another machine left of a story, brought here: its commits from the remote's branch, and what it had not committed
// from its last snapshot. What this machine had of the story is kept in snapshots.

import { storyBranch } from "../../story/definition/names.ts";
import { commitOf, relationOf, type Relation } from "../refs.ts";
import type { Base } from "../repository.ts";
import type { Snapshot } from "../snapshots/snapshot.ts";
import { restoreSnapshot } from "../rescue/restore.ts";
import { freshWorktree, type FreshWorktreeRequest } from "../worktree/fresh-worktree.ts";
import {
  prepareWorktree,
  type PreparedWorktree,
  type WorktreeRequest,
} from "../worktree/worktree.ts";
import { importSnapshot } from "./import-snapshot.ts";
import { newestShared, sharedSnapshots, type SharedSnapshot } from "./shared-snapshots.ts";

export interface TakeOver
  extends WorktreeRequest, Pick<FreshWorktreeRequest, "exclude" | "unsavedFolder"> {
  /** The machine that owned the story last, as the remote knows it. */
  readonly lastMachine: string | undefined;
  readonly machine: string;
  readonly onSnapshot: (snapshot: Snapshot, why: string) => void;
}

/** This machine's own copy counts if it was the last owner; otherwise the remote's does. */
export const isTheirs = (
  { lastMachine, machine }: Pick<TakeOver, "lastMachine" | "machine">,
  relation: Relation | undefined,
): boolean =>
  lastMachine !== undefined &&
  lastMachine !== machine &&
  (relation === "behind" || relation === "apart");

export async function takeOverWorktree(request: TakeOver): Promise<PreparedWorktree> {
  const { repository, storyId, base } = request;
  const branch = storyBranch(storyId);
  const { git, remote } = repository;
  const local = await commitOf(git, `refs/heads/${branch}`);
  const theirs = await commitOf(git, `refs/remotes/${remote?.name ?? ""}/${branch}`);
  const relation = local && theirs ? await relationOf(git, local, theirs) : undefined;
  if (theirs === undefined || !isTheirs(request, relation)) return prepareWorktree(request);
  const onWarning = request.onWarning ?? ((): void => undefined);
  const at: Base = { ...base, commit: theirs };
  return { ...(await freshWorktree({ ...request, base: at, onWarning })), isNew: true };
}

/** Undefined if the last owner left nothing uncommitted, or if commits came after it. */
export async function takeOverFiles(
  { repository, storyId, machine, lastMachine, exclude }: TakeOver,
  folder: string,
): Promise<SharedSnapshot | undefined> {
  if (lastMachine === undefined || lastMachine === machine) return undefined;
  const newest = newestShared(await sharedSnapshots(repository, storyId));
  if (newest === undefined || newest.machine === machine) return undefined;
  const git = repository.git.at(folder);
  const number = await importSnapshot(repository, storyId, newest);
  const [parent, head] = [await commitOf(git, `${newest.commit}^1`), await commitOf(git, "HEAD")];
  if (parent !== head) return undefined;
  await restoreSnapshot({ repository, storyId, number, exclude });
  return newest;
}
