// Step 1: the story is this worker's alone. What a dead worker left running is ended first.

import { lifeOf } from "../machine/process.ts";
import { endProcesses, processesWith, treeOf, type KnownProcess } from "../machine/process-tree.ts";
import { storyLease } from "../store/overview.ts";
import type { Acquired, Lease } from "../store/lease.ts";
import type { Store } from "../store/store.ts";
import { RUN_MARK } from "../story/names.ts";
import type { Run } from "../story/run.ts";

/** Only an owner on another machine is judged by this: here the process itself says if it lives. */
const TTL_MS = 90_000;
const RENEW_EVERY_MS = 20_000;
const GRACE_MS = 5_000;

export const claimStory = (store: Store, storyId: string, owner: string): Promise<Acquired> =>
  store.leases.acquire(storyLease(storyId), { owner, ttlMs: TTL_MS });

interface ClaimTrouble {
  /** Someone else has it now. */
  readonly onLost: () => void;
  /** It could not be renewed this time: a full disk, for example. That takes it from nobody. */
  readonly onFault: (error: unknown) => void;
}

/** Answers a function that ends the renewing. */
export function keepClaim(
  lease: Pick<Lease, "renew">,
  { onLost, onFault }: ClaimTrouble,
  everyMs = RENEW_EVERY_MS,
): () => void {
  const timer = setInterval(() => {
    try {
      if (lease.renew()) return;
    } catch (error) {
      onFault(error);
      return;
    }
    clearInterval(timer);
    onLost();
  }, everyMs);
  timer.unref();
  return () => clearInterval(timer);
}

/** Runs that nobody ended: their workers are dead, their agents may not be. */
export const unfinished = (runs: readonly Run[]): Run[] =>
  runs.filter((run) => run.endedAt === undefined);

/** What a run has started and what still lives of it, wherever it hangs in the tree. */
export const processesOf = ({ id, agent }: Run): KnownProcess[] => [
  ...(agent && lifeOf(agent) === "alive" ? treeOf(agent) : []),
  ...processesWith(RUN_MARK, id),
];

export async function endLeftovers(runs: readonly Run[]): Promise<number> {
  const found = runs.flatMap(processesOf);
  await endProcesses(found, { graceMs: GRACE_MS });
  return new Set(found.map(({ pid }) => pid)).size;
}
