// The owner of a story, as git knows it: `refs/saga/lease/<story>` at the remote. Each new owner moves it, and each push of
// the story moves it along, all or nothing. So a machine that slept through its lease cannot push anything of the story,
// whatever it believes: the ref is not where that machine left it.

import { randomUUID } from "node:crypto";
import { SagaError } from "../../errors.ts";
import type { GitResult } from "../../machine/programs/git.ts";
import { pushCommit, readRemoteRefs } from "../remote-branch.ts";
import { reasonIn, type Remote, type Repository } from "../repository.ts";
import { idProblem } from "../../story/definition/names.ts";
import { readNote, writeNote, type Facts } from "./note-ref.ts";
import {
  discardFacts,
  discardIn,
  followedDiscard,
  isSameDiscard,
  type Discard,
} from "./shared-discard.ts";

const PREFIX = "refs/saga/lease/";
export const leaseRef = (storyId: string): string => `${PREFIX}${storyId}`;

export function storyOfLeaseRef(ref: string): string | undefined {
  const storyId = ref.startsWith(PREFIX) ? ref.slice(PREFIX.length) : "";
  return idProblem("story", storyId) === undefined ? storyId : undefined;
}

export interface StoryOwner {
  readonly storyId: string;
  readonly fence: number;
  readonly machine: string;
}

/** `isMine`: whether the engine still counts this process as the owner. */
export interface FenceOwner extends StoryOwner {
  readonly isMine: () => Promise<boolean>;
}

interface FleetLease extends Pick<FenceOwner, "fence" | "isMine"> {
  readonly record: { readonly machine?: string | undefined };
}

/** Undefined outside of a fleet. */
export const fenceOwner = (
  storyId: string,
  { fence, isMine, record: { machine } }: FleetLease,
): FenceOwner | undefined =>
  machine === undefined ? undefined : { storyId, fence, machine, isMine };

export interface PushFence {
  /**
   * Pushes all of it, or nothing if another machine owns the story by now. `leases`: further refs that have to be at a
   * commit, as `<ref>:<commit>`.
   */
  readonly push: (
    refspecs: readonly string[],
    stop?: AbortSignal,
    leases?: readonly string[],
  ) => Promise<GitResult>;
}

export interface HeldFence extends PushFence {
  /** The machine that owned the story before. */
  readonly lastMachine: string | undefined;
}

interface Known {
  readonly commit: string | undefined;
  readonly fence: number;
  readonly machine: string | undefined;
  /** The story's last discard. */
  readonly discard: Discard | undefined;
}

/** Moves the ref to this owner. Throws if the remote knows a newer one, or cannot be reached. */
export async function takeFence(
  repository: Repository,
  owner: FenceOwner,
  onStale: () => void,
): Promise<HeldFence> {
  const held = await openFence(repository, owner, onStale);
  const pushed = await held.push([]);
  if (pushed.isOk) return held;
  const { storyId } = owner;
  const remote = requireRemote(repository);
  throw new SagaError(
    "program-failed",
    `Could not record at ${remote.name} that this machine works on ${storyId}: ${reasonIn(pushed.stderr)}`,
    { hint: "No work was lost. Check the remote, and run the command again." },
  );
}

/**
 * The same, but the ref only moves with the first push: a push that is refused leaves the last owner. `discard`: this owner
 * discards the story.
 */
export async function openFence(
  repository: Repository,
  owner: FenceOwner,
  onStale: () => void = () => undefined,
  discard?: Discard,
): Promise<HeldFence> {
  const remote = requireRemote(repository);
  const known = await readStoryOwner(repository, owner.storyId);
  if (known.fence >= owner.fence) throw newerOwner(owner, known);
  if (discard === undefined) await requireFollowed(repository, owner, known);
  const start = { from: known.commit, onStale, discard: discard ?? known.discard };
  return { ...newFence(repository, remote, owner, start), lastMachine: known.machine };
}

/** What this clone has of the story was discarded on another machine, and must not come back. */
async function requireFollowed(
  { git }: Repository,
  { storyId }: StoryOwner,
  { discard, machine }: Known,
): Promise<void> {
  if (discard === undefined) return;
  if (isSameDiscard(discard, await followedDiscard(git, storyId))) return;
  throw new SagaError(
    "not-ready",
    `${storyId} was discarded on another machine (${machine ?? "unknown"}).`,
    {
      hint: "`saga fleet sync` saves what this machine has of it in a snapshot. Then run the command again.",
    },
  );
}

interface FenceStart {
  readonly from: string | undefined;
  readonly onStale: () => void;
  readonly discard: Discard | undefined;
}

function newFence(
  repository: Repository,
  remote: Remote,
  { storyId, fence, machine, isMine }: FenceOwner,
  { from, onStale, discard }: FenceStart,
): PushFence {
  const { git } = repository;
  const ref = leaseRef(storyId);
  let current = from;
  /** Every commit that this owner tried to move the ref to: the answer to a push may be lost. */
  const own = new Set<string>();
  const attempt: PushFence["push"] = async (refspecs, stop, leases = []) => {
    // A new commit each time: git does not compare a ref that does not change.
    const facts = {
      Fence: String(fence),
      Machine: machine,
      ...discardFacts(discard),
      Push: randomUUID(),
    };
    const next = await writeNote(git, `lease: ${storyId}`, facts);
    own.add(next);
    const pushed = await pushCommit(git, remote, [`${next}:${ref}`, ...refspecs], {
      stop,
      leases: [`${ref}:${current ?? ""}`, ...leases],
      isAtomic: true,
    });
    if (pushed.isOk) current = next;
    return pushed;
  };
  const stale = (pushed: GitResult): GitResult => {
    onStale();
    return { ...pushed, isOk: false, stderr: "another machine has taken the story over" };
  };
  const move: PushFence["push"] = async (refspecs, stop, leases) => {
    const pushed = await attempt(refspecs, stop, leases);
    if (pushed.isOk || stop?.aborted) return pushed;
    const there = await readRemoteRefs(repository, [ref]).catch(() => undefined);
    if (there === undefined) return pushed;
    const found = there.get(ref);
    if (found === current) return pushed;
    if (found === undefined || !own.has(found)) return stale(pushed);
    // An earlier push arrived, and its answer was lost.
    current = found;
    return attempt(refspecs, stop, leases);
  };
  let isConfirmed = from !== undefined;
  const push: PushFence["push"] = async (refspecs, stop, leases) => {
    if (isConfirmed) return move(refspecs, stop, leases);
    // Without a ref, the remote cannot tell whether a later owner has landed the story and deleted it. The engine can, and
    // is asked before any work is pushed.
    const first = await move([], stop);
    if (!first.isOk) return first;
    if (!(await isMine())) return stale(first);
    isConfirmed = true;
    return refspecs.length === 0 ? first : move(refspecs, stop, leases);
  };
  let last: Promise<unknown> = Promise.resolve();
  return {
    push(refspecs, stop, leases) {
      // One at a time: each expects the ref where the one before has left it.
      const next = last.then(() => push(refspecs, stop, leases));
      last = next.catch(() => undefined);
      return next;
    },
  };
}

/** The fences that the remote knows. */
export async function readFences(repository: Repository): Promise<StoryOwner[]> {
  const owners: StoryOwner[] = [];
  for (const [ref, commit] of await readRemoteRefs(repository, [`${PREFIX}*`])) {
    const storyId = storyOfLeaseRef(ref);
    if (storyId === undefined) continue;
    const { fence, machine = "" } = await ownerAt(repository, storyId, commit);
    owners.push({ storyId, fence, machine });
  }
  return owners;
}

/** As the remote knows it. */
export async function readStoryOwner(repository: Repository, storyId: string): Promise<Known> {
  const ref = leaseRef(storyId);
  const commit = (await readRemoteRefs(repository, [ref])).get(ref);
  if (commit === undefined) return { commit, fence: 0, machine: undefined, discard: undefined };
  return ownerAt(repository, storyId, commit);
}

/** The owner at a commit that the remote gave for the story's ref. */
export const ownerAt = async (
  repository: Repository,
  storyId: string,
  commit: string,
): Promise<Known> => ownerIn(commit, await readNote(repository, leaseRef(storyId), commit));

/** A ref that no Saga wrote has no fence, and the next owner replaces it. */
const ownerIn = (commit: string, facts: Facts): Known => ({
  commit,
  fence: /^\d{1,15}$/.test(facts["Fence"] ?? "") ? Number(facts["Fence"]) : 0,
  machine: facts["Machine"],
  discard: discardIn(facts),
});

const newerOwner = ({ storyId, fence }: StoryOwner, known: Known): SagaError =>
  new SagaError(
    "in-use",
    `${storyId} has a newer owner at the remote (${known.machine ?? "another machine"}, fence ${known.fence}; here ${fence}).`,
    {
      hint: "Nothing was pushed: that machine continues the story. If the fleet's database was created again, run `saga fleet sync`: fences then continue.",
    },
  );

function requireRemote({ remote }: Repository): Remote {
  if (remote !== undefined) return remote;
  throw new SagaError("not-ready", "A fleet needs a remote, and this repository has none.", {
    hint: "Add one: `git remote add origin <address>`.",
  });
}
