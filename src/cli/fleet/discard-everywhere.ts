// `saga discard`, and in a fleet what it means for the other machines: they learn of it from the remote, and the queue gives
// the story to none of them until a person queues it again.

import { discardStory, type DiscardResult } from "../../recover/discard.ts";
import { findRepository } from "../../repo/repository.ts";
import type { Store } from "../../store/store.ts";
import type { Io } from "../program/io.ts";
import { followDiscardOf } from "./follow-discards.ts";
import { openFleetOf } from "./open-fleet.ts";

export interface DiscardedStory extends DiscardResult {
  /** Whether other machines learn of it. */
  readonly isShared: boolean;
  /** Then: its epic, whose run queues it again. */
  readonly epic: string | undefined;
}

export async function discardEverywhere(
  { env, writeError }: Pick<Io, "env" | "writeError">,
  store: Store,
  storyId: string,
): Promise<DiscardedStory> {
  const settings = await store.settings();
  const repository = await findRepository(store.project, env);
  const request = { store, repository, settings, env, now: Date.now, storyId };
  if (settings.fleet.name === undefined) {
    return { ...(await discardStory(request)), isShared: false, epic: undefined };
  }
  const fleet = await openFleetOf({ project: store.project, env }, settings);
  const { openExchange, openJobs } = fleet;
  try {
    const onProblem = (sentence: string): void => writeError(`${sentence}\n`);
    // An earlier discard, of another machine.
    await followDiscardOf({ store, repository, env, fleet, onProblem }, storyId);
    const { send, receive } = openExchange(store);
    await receive(storyId);
    const result = await discardStory({
      ...request,
      async onShared() {
        const jobs = await openJobs();
        try {
          await jobs.withdraw(storyId);
        } finally {
          await jobs.close();
        }
      },
    });
    // What counts from here on are the files of this project again.
    await store.elsewhere.removeCopy(storyId);
    await send(storyId);
    return { ...result, isShared: true, epic: (await store.viewStory(storyId)).epicId };
  } finally {
    await fleet.close();
  }
}
