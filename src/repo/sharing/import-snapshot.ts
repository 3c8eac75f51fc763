// A snapshot of another machine as one of this clone, so that it is listed and stays.

import { gitError } from "../../machine/programs/git.ts";
import { moveRef } from "../refs.ts";
import { fetchRefs, reasonIn, type Repository } from "../repository.ts";
import { readSnapshots } from "../snapshots/snapshot.ts";
import type { SharedSnapshot } from "./shared-snapshots.ts";

/** Returns its number here. Repeating it changes nothing. */
export async function importSnapshot(
  { git, remote }: Repository,
  storyId: string,
  { ref, commit }: SharedSnapshot,
): Promise<number> {
  const known = await readSnapshots(git, storyId);
  const same = known.find((one) => one.commit === commit);
  if (same) return same.number;
  const local = `refs/saga/remote/${ref.replace(/^refs\/saga\//, "")}`;
  const fetched = await fetchRefs(git, remote?.name ?? "", [`+${ref}:${local}`]);
  if (!fetched.isOk) throw gitError(`${ref} could not be fetched: ${reasonIn(fetched.stderr)}`);
  const number = (known.at(-1)?.number ?? 0) + 1;
  const saved = await moveRef(git, {
    ref: `refs/saga/keep/${storyId}/${number}`,
    to: commit,
    from: undefined,
  });
  if (!saved.isOk) throw gitError(`The snapshot of ${storyId} could not be saved: ${saved.stderr}`);
  return number;
}
