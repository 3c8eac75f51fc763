// Finds epics that were merged without Saga. Not in the queue of reads: git may have to ask the remote for its
// default branch.

import { messageOf } from "../../errors.ts";
import { noteMergedEpics } from "../../repo/delivery/merged-epics.ts";
import type { FollowOptions } from "./follow-project.ts";
import type { LiveEntities } from "./entities.ts";

export interface MergedEpics {
  /** Returns at once. Only one check runs at a time. */
  readonly check: () => void;
  /** Resolves when no check is running. */
  readonly end: () => Promise<void>;
}

export function newMergedEpics(
  { store, env, onError }: FollowOptions,
  entities: LiveEntities,
  onFound: () => void,
): MergedEpics {
  let running: Promise<void> | undefined;
  const checkOnce = async (): Promise<void> => {
    const unmerged = entities.ids("epics").filter((id) => entities.get("epics", id)?.awaitsMerge);
    try {
      if (await noteMergedEpics(store, env, unmerged)) onFound();
    } catch (error) {
      onError(messageOf(error));
    } finally {
      running = undefined;
    }
  };
  return {
    check: () => void (running ??= checkOnce()),
    end: async () => running,
  };
}
