// A story of this machine that another one has merged: the record of its delivery, as if it had been merged here.

import { SagaError } from "../../errors.ts";
import type { BatchContext } from "../../landing/landing.ts";
import { readTarget } from "../../repo/delivery/target.ts";
import { recordArrival } from "../../repo/records/delivery-record.ts";
import { isAncestor } from "../../repo/refs.ts";
import { completedIn } from "../../repo/sharing/arrived-stories.ts";
import type { Entry } from "../../story/landing/entry.ts";
import type { Landed } from "../../story/landing/landed.ts";

/** Repeating it changes nothing. Throws unless the target shows it: what a row of the database says is not enough. */
export async function recordLanding(
  { repository, stop }: Pick<BatchContext, "repository" | "stop">,
  { name: storyId, lane }: Pick<Entry, "name" | "lane">,
  { tip, onto, commit }: Landed,
): Promise<void> {
  const { git } = repository;
  const target = await readTarget(repository, lane, stop);
  const isThere =
    (await isAncestor(git, commit, target)) &&
    (await completedIn(repository, commit, [storyId])).length > 0;
  if (!isThere) {
    throw new SagaError(
      "not-ready",
      `Another machine has merged ${storyId}, but ${lane.branch} does not contain it.`,
      { hint: `Look at ${lane.branch}, and merge it again: \`saga merge ${storyId}\`.` },
    );
  }
  await recordArrival(git, { storyId, target: lane.branch, tip, onto, commit });
}
