// What other machines of the fleet have, as this one last saw it: in files, for commands and pages that connect to nothing.
// Nothing is decided by it.

import { existsSync, rmSync } from "node:fs";
import type { LeaseState } from "../leases/leases.ts";
import { elsewhereFolder, type Layout } from "../project/layout.ts";
import { saveKnownLanes, type KnownLane } from "./known-lanes.ts";
import { saveKnownLeases } from "./known-leases.ts";
import { listCopies, removeCopy, saveCopy, type StoryCopy } from "./story-copies.ts";

export interface Elsewhere {
  /** Those that other machines hold. The leases of the store contain them from then on. */
  readonly saveLeases: (leases: readonly LeaseState[]) => Promise<void>;
  /** Those that the machines share. The queue of the store contains them from then on. */
  readonly saveLanes: (lanes: readonly KnownLane[]) => Promise<void>;
  /** The commit of each copied story. */
  readonly listCopies: () => Promise<ReadonlyMap<string, string>>;
  readonly saveCopy: (copy: StoryCopy) => Promise<void>;
  /** From then on the story's files of this machine count. */
  readonly removeCopy: (storyId: string) => Promise<void>;
  /** Removes all of it, unless `isDryRun`. Returns its folder, or undefined if there is none. */
  readonly clear: (isDryRun: boolean) => Promise<string | undefined>;
}

export const openElsewhere = (at: Layout): Elsewhere => ({
  saveLeases: async (leases) => saveKnownLeases(at, leases),
  saveLanes: async (lanes) => saveKnownLanes(at, lanes),
  listCopies: async () => listCopies(at),
  saveCopy: async (copy) => saveCopy(at, copy),
  removeCopy: async (storyId) => removeCopy(at, storyId),
  async clear(isDryRun) {
    const folder = elsewhereFolder(at);
    if (!existsSync(folder)) return undefined;
    if (!isDryRun) rmSync(folder, { recursive: true, force: true });
    return folder;
  },
});
