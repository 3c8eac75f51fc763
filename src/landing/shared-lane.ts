// What is different in a lane that the machines of a fleet share. Of another machine's entries this one lands what it can.
// What it cannot land (it cannot read the story, or its checks fail) it leaves to that machine, which tries by itself and
// says why not: there are the worktree, the records and the person who asked.

import { messageOf, SagaError } from "../errors.ts";
import type { LandedEntry } from "../repo/delivery/land.ts";
import { readTarget } from "../repo/delivery/target.ts";
import { commitOf, isAncestor } from "../repo/refs.ts";
import { newLaneFence, type StoryLanding, type LaneFence } from "../repo/sharing/lane-fence.ts";
import type { LandingQueue } from "../store/queue/queue.ts";
import { isElsewhere } from "../story/landing/landed.ts";
import { storyBranch } from "../story/definition/names.ts";
import type { Entry, Lane } from "../story/landing/entry.ts";
import { laneId } from "./lane-id.ts";
import type { LaneContext, LandingWork, Refused } from "./landing.ts";
import { failureOf } from "./failure.ts";
import { newBatchContext } from "./prepare-batch.ts";

/** Undefined for a lane of this machine alone. Asks nothing until it is used; then once, however often it is taken. */
export async function openLaneFence(
  { store, repository }: Pick<LaneContext, "store" | "repository">,
  lane: Lane,
): Promise<LaneFence | undefined> {
  const machine = await store.queue.machine(lane);
  if (machine === undefined) return undefined;
  const fence = newLaneFence(repository, { laneId: laneId(lane), machine });
  let taking: Promise<readonly StoryLanding[]> | undefined;
  return { ...fence, take: (stop) => (taking ??= fence.take(stop)) };
}

/** The entries that this machine may land. */
export async function landableHere(
  queue: Pick<LandingQueue, "machine">,
  lane: Lane,
  entries: readonly Entry[],
): Promise<readonly Entry[]> {
  const own = await queue.machine(lane);
  // An epic lands alone, and its own machine has what its stories need.
  return entries.filter(
    (entry) => !isElsewhere(entry, own) || (entry.kind === "story" && entry.isLeft !== true),
  );
}

/** Tells the entries' machines what the last lander landed before it was killed. Returns whether it was any of these. */
export async function settleLastLanding(
  context: LaneContext,
  lane: Lane,
  {
    entries,
    landed,
  }: { readonly entries: readonly Entry[]; readonly landed: readonly StoryLanding[] },
): Promise<boolean> {
  const { store, repository } = context;
  const own = await store.queue.machine(lane);
  const batch = newBatchContext(context, lane, entries);
  const known = entries.flatMap((entry) => {
    const last = landed.find(({ storyId }) => entry.kind === "story" && storyId === entry.name);
    return last === undefined ? [] : [{ entry, last }];
  });
  if (known.length === 0) return false;
  const target = await readTarget(repository, lane, context.stop);
  let isAny = false;
  for (const { entry, last } of known) {
    // A person may have set the target back.
    if (!(await isAncestor(repository.git, last.commit, target))) continue;
    const branch = `refs/heads/${storyBranch(entry.name)}`;
    const isOther = isElsewhere(entry, own);
    const tip = isOther
      ? (await batch.remoteRefs()).get(branch)
      : await commitOf(repository.git, branch);
    // Otherwise it has new work since.
    if (tip !== undefined && tip !== last.tip) continue;
    isAny = true;
    if (isOther) await store.queue.noteLanded(entry, last);
    else await settleLanded(context, entry, last);
  }
  return isAny;
}

/** What another machine landed for this one: does here what a merge leaves to do. May be repeated. */
export async function settleLanded(
  context: LaneContext,
  entry: Entry,
  landed: Pick<StoryLanding, "tip" | "onto" | "commit">,
): Promise<void> {
  const { queue } = context.store;
  const batch = newBatchContext(context, entry.lane, [entry]);
  const { tip, onto, commit } = landed;
  try {
    const prepared = await context.kinds[entry.kind](batch, entry, { tip, onto, commit });
    if (prepared.kind === "settled") await queue.settle(entry, prepared.outcome);
  } catch (error) {
    // Another process of this machine does it.
    if (error instanceof SagaError && error.code === "in-use") {
      context.onStep?.(`${entry.name}: ${messageOf(error)}`);
      return;
    }
    await queue.settle(entry, failureOf(error));
  }
}

/** For an entry of another machine. Undefined results stay in the lane as they are. */
export async function settleElsewhere(
  queue: Pick<LandingQueue, "noteLanded" | "leave">,
  { entry, tip = "" }: LandingWork,
  { result, refused }: { readonly result: LandedEntry; readonly refused: Refused | undefined },
): Promise<void> {
  switch (result.kind) {
    case "merged":
      return queue.noteLanded(entry, { tip, onto: result.was, commit: result.commit });
    case "not-verified":
      return refused && queue.leave(entry);
    case "conflict":
    case "checked-out":
      return queue.leave(entry);
    case "moved":
    case "behind":
    case "stopped":
      return undefined;
  }
}
