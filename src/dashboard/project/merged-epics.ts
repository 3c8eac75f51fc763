// Looks for epics that were merged without Saga. Out of turn: git may have to ask the remote which branch it means.

import { messageOf } from "../../errors.ts";
import { noteMergedEpics } from "../../repo/delivery/merged-epics.ts";
import type { Following } from "./follow-project.ts";
import type { LiveEntities } from "./entities.ts";

export interface MergedEpics {
  /** Does not wait; one look at a time. */
  readonly look: () => void;
  /** When no look is under way. */
  readonly end: () => Promise<void>;
}

export function newMergedEpics(
  { store, env, onFault }: Following,
  live: LiveEntities,
  onFound: () => void,
): MergedEpics {
  let looking: Promise<void> | undefined;
  const lookOnce = async (): Promise<void> => {
    const unmerged = live.ids("epics").filter((id) => live.get("epics", id)?.awaitsMerge);
    try {
      if (await noteMergedEpics(store, env, unmerged)) onFound();
    } catch (error) {
      onFault(messageOf(error));
    } finally {
      looking = undefined;
    }
  };
  return {
    look: () => void (looking ??= lookOnce()),
    end: async () => looking,
  };
}
