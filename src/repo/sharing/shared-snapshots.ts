// Snapshots at the remote: `refs/saga/keep/<story>/<fence>-<machine>-<number>`. The fence orders them across machines.

import { readRemoteRefs } from "../remote-branch.ts";
import type { Repository } from "../repository.ts";
import { idProblem } from "../../story/definition/names.ts";
import type { StoryOwner } from "./lease-ref.ts";

export interface SharedSnapshot {
  readonly ref: string;
  readonly commit: string;
  readonly fence: number;
  readonly machine: string;
  readonly number: number;
}

export const sharedSnapshotRef = (
  { storyId, fence, machine }: StoryOwner,
  number: number,
): string => `refs/saga/keep/${storyId}/${fence}-${machine}-${number}`;

const REF =
  /^refs\/saga\/keep\/(?<story>[^/]+)\/(?<fence>\d{1,15})-(?<machine>[a-z0-9-]+)-(?<number>\d{1,15})$/;

export async function sharedSnapshots(
  repository: Repository,
  storyId: string,
): Promise<SharedSnapshot[]> {
  const refs = await readRemoteRefs(repository, [`refs/saga/keep/${storyId}/*`]);
  return [...refs].flatMap(([ref, commit]) => snapshotOf(ref, commit) ?? []);
}

/** Undefined for a ref that no member wrote. */
export function snapshotOf(ref: string, commit: string): SharedSnapshot | undefined {
  const { fence, machine, number } = REF.exec(ref)?.groups ?? {};
  if (fence === undefined || machine === undefined) return undefined;
  return { ref, commit, machine, fence: Number(fence), number: Number(number) };
}

export function storyOfSnapshot(ref: string): string | undefined {
  const story = REF.exec(ref)?.groups?.["story"] ?? "";
  return idProblem("story", story) === undefined ? story : undefined;
}

export const newestShared = (snapshots: readonly SharedSnapshot[]): SharedSnapshot | undefined =>
  snapshots.toSorted((one, other) => one.fence - other.fence || one.number - other.number).at(-1);
