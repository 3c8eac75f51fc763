// Composes a batch on top of a candidate that has not landed yet. It writes no ref: if the candidate lands as it is, the
// lander composes the same commits again.

import { deliveryOfBranch } from "../../story/definition/names.ts";
import { compose, type LandEntry, type NamedCandidate } from "../compose/compose.ts";
import type { Repository } from "../repository.ts";
import { readEntry } from "./already-merged.ts";
import { fillScratch, openScratch } from "./scratch.ts";

export interface AheadRequest<E extends LandEntry> {
  readonly repository: Repository;
  /** Names the scratch worktree. The caller clears it. */
  readonly scratch: string;
  /** The target's name. */
  readonly branch: string;
  readonly onto: string;
  readonly entries: readonly E[];
}

export interface ComposedAhead<E extends LandEntry> {
  readonly candidates: readonly NamedCandidate<E>[];
  /** Checks the last candidate out, and returns the folder. */
  readonly checkOut: () => Promise<string>;
}

export async function composeAhead<E extends LandEntry>({
  repository,
  scratch,
  branch,
  onto,
  entries,
}: AheadRequest<E>): Promise<ComposedAhead<E>> {
  const named = entries.flatMap((entry) => {
    const storyId = deliveryOfBranch(entry.branch);
    return storyId === undefined ? [] : [{ entry, storyId }];
  });
  const read = [];
  for (const one of named) read.push(await readEntry(repository.git, one, onto));
  const git = await openScratch(repository, scratch, onto);
  const { candidates } = await compose(git, read, { branch, onto });
  return {
    candidates,
    async checkOut() {
      await fillScratch(git, candidates.at(-1)?.commit ?? onto);
      return git.folder;
    },
  };
}
