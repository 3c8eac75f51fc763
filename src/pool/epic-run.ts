// One run of an epic: looks, decides, acts, and waits for a change, until nothing more can be done. It
// keeps nothing in mind that cannot be read again: killed, it is started once more and goes on.

import { setTimeout as wait } from "node:timers/promises";
import { messageOf } from "../errors.ts";
import { declaredWrites, mayOverlap } from "../gate/globs.ts";
import type { StoryView } from "../store/overview.ts";
import type { Store } from "../store/store.ts";
import { endOf, isStartable, schedule, type EpicEnd, type ScheduledStory } from "./schedule.ts";

export interface EpicOrder {
  readonly epicId: string;
  readonly parallel: number;
  readonly mayMerge: boolean;
}

/** How stories are started and merged: as processes of their own. */
export interface EpicHands {
  readonly start: (storyId: string) => Promise<void>;
  /** Answers whether it is merged. */
  readonly merge: (storyId: string) => Promise<boolean>;
  readonly say: (sentence: string) => void;
  readonly stop: AbortSignal;
  /** Between two looks. */
  readonly pollMs: number;
}

/** Until a worker that was started has its claim. */
const STARTING_MS = 10_000;
/** More often than this a story is not begun again in one run: whatever it is, it does not pass. */
const MAX_STARTS = 3;

export async function runEpic(store: Store, order: EpicOrder, hands: EpicHands): Promise<EpicEnd> {
  const starts = new Map<string, number>();
  const startedAt = new Map<string, number>();
  const refused = new Set<string>();
  const said = new Map<string, string>();
  for (;;) {
    const stories = await look();
    report(stories);
    if (hands.stop.aborted) return endOf(stories);
    const writes = await writesOf(store, stories);
    const next = schedule(stories, {
      parallel: order.parallel,
      mayMerge: order.mayMerge,
      overlap: (one, other) => mayOverlap(writes.get(one), writes.get(other)),
    });
    if (next.isOver) return endOf(stories);
    // One at a time: the next may have to wait for what this brings.
    const [first] = next.merge;
    if (first !== undefined) {
      if (!(await attempt(first, () => hands.merge(first)))) refused.add(first);
      continue;
    }
    for (const id of next.start) {
      starts.set(id, (starts.get(id) ?? 0) + 1);
      startedAt.set(id, Date.now());
      await attempt(id, async () => {
        await hands.start(id);
        return true;
      });
    }
    await wait(hands.pollMs, undefined, { signal: hands.stop }).catch(() => undefined);
  }

  async function look(): Promise<ScheduledStory[]> {
    const { epic } = await store.readEpic(order.epicId);
    const { stories, archived } = await store.overview();
    return epic.children.map(({ id }) => {
      const view = stories.get(id);
      const found = view?.state ?? (archived.has(id) ? "completed" : "pending");
      // Its worker is on the way to its claim.
      const isStarting = Date.now() - (startedAt.get(id) ?? 0) < STARTING_MS && isStartable(found);
      const isGivenUp = (starts.get(id) ?? 0) >= MAX_STARTS || refused.has(id);
      return {
        id,
        state: isStarting ? "running" : found,
        waitsFor: view?.waitsFor ?? [],
        priority: priorityOf(view),
        isGivenUp,
      };
    });
  }

  function report(stories: readonly ScheduledStory[]): void {
    for (const { id, state } of stories) {
      if (said.get(id) === state) continue;
      if (said.has(id) || state !== "waiting") hands.say(`${id} is ${state}`);
      said.set(id, state);
    }
  }

  async function attempt(id: string, act: () => Promise<boolean>): Promise<boolean> {
    try {
      return await act();
    } catch (error) {
      hands.say(`${id}: ${messageOf(error)}`);
      // A worker that could not be started at once is not started again and again.
      starts.set(id, MAX_STARTS);
      return false;
    }
  }
}

const priorityOf = (view: StoryView | undefined): number => view?.record.story.priority ?? 3;

async function writesOf(
  store: Store,
  stories: readonly ScheduledStory[],
): Promise<ReadonlyMap<string, readonly string[] | undefined>> {
  const writes = new Map<string, readonly string[] | undefined>();
  for (const { id, state } of stories) {
    if (state === "completed" || state === "waiting" || state === "pending") continue;
    const { story, tasks } = await store.readStory(id);
    writes.set(id, declaredWrites(story, tasks));
  }
  return writes;
}
