// After a merge, the stories that touched the same files may conflict with the target. One with a worker finds that out
// itself; the others (in review, in a queue, stopped) are merged with the new target here, in memory. Without this, a
// conflict of two stories would be forgotten when one of them is merged.

import type { Context } from "../../context.ts";
import { tryMerges } from "../../repo/early-warning/try-merges.ts";
import { storyLease } from "../../store/leases/lease-names.ts";
import type { OpenWork, TriedMerge } from "../../story/early-warning/open-work.ts";
import { canConflict } from "../../story/early-warning/can-conflict.ts";

export interface LandedStory {
  readonly storyId: string;
  readonly into: string;
  /** The target's commit that has it. */
  readonly commit: string;
}

/** May be repeated: the record of a merged story is gone then. */
export async function checkAfterMerge(
  { store, repository, now }: Pick<Context, "store" | "repository" | "now">,
  { storyId, into, commit }: LandedStory,
): Promise<void> {
  const { openWorks, leases } = store;
  const works = await openWorks.list();
  const merged = works.find(({ story }) => story === storyId);
  if (merged === undefined) return;
  const idle: OpenWork[] = [];
  for (const work of worksBehind(works, merged, into)) {
    const lease = await leases.read(storyLease(work.story));
    const hasWorker = lease?.life === "alive" && lease.record.purpose === "work";
    if (!hasWorker) idle.push(work);
  }
  const theirs = idle.map(({ tip }) => tip);
  const results = await tryMerges(repository, { storyId, ours: commit, theirs });
  const at = new Date(now()).toISOString();
  for (const [index, work] of idle.entries()) {
    const files = results[index];
    const tried = { kind: "target" as const, name: into, commit, at };
    if (files) await openWorks.write(withTarget(work, merged, { ...tried, files: [...files] }));
  }
  await openWorks.drop(storyId);
}

/** Those that go into the same target and touched the same files. */
export const worksBehind = (
  works: readonly OpenWork[],
  merged: OpenWork,
  into: string,
): readonly OpenWork[] =>
  works.filter(
    (work) => work !== merged && work.target === into && canConflict(work.changes, merged.changes),
  );

/** A conflict with the merged story is one with the target now, since the same time. */
export function withTarget(
  work: OpenWork,
  merged: Pick<OpenWork, "story">,
  { at, ...tried }: Omit<TriedMerge, "since"> & { readonly at: string },
): OpenWork {
  const isReplaced = ({ kind, name }: TriedMerge): boolean =>
    name === (kind === "target" ? tried.name : merged.story);
  const isConflict = tried.files.length > 0;
  const [before] = work.merges
    .filter((merge) => isReplaced(merge) && merge.files.length > 0 === isConflict)
    .map(({ since }) => since)
    .toSorted();
  const merges = work.merges.filter((merge) => !isReplaced(merge));
  return { ...work, at, merges: [{ ...tried, since: before ?? at }, ...merges] };
}
