// What an epic's run has spent: on all of its stories together, since it began. Read from the records of their
// runs, which grow with each answer of a model.

import type { Store } from "../store/store.ts";
import type { Run } from "../story/state/run.ts";

export interface Spending {
  readonly costUsd: number;
  readonly costIsEstimate: boolean;
}

export interface EpicBudget {
  readonly maxUsd: number | undefined;
  /** Reads the records again. */
  readonly spent: () => Promise<Spending>;
}

/** From now on: what the stories have cost before is not this run's. */
export async function openBudget(
  store: Pick<Store, "listRuns">,
  storyIds: readonly string[],
  maxUsd: number | undefined,
): Promise<EpicBudget> {
  /** By run: those that are pruned while the epic runs have cost what they cost. */
  const seen = new Map<string, Run>();
  const before = new Map<string, number>();
  await read();
  for (const { id, costUsd } of seen.values()) before.set(id, costUsd);
  return {
    maxUsd,
    async spent() {
      await read();
      const own = [...seen.values()].map((run) => ({
        costUsd: run.costUsd - (before.get(run.id) ?? 0),
        costIsEstimate: run.costIsEstimate ?? false,
      }));
      return {
        costUsd: own.reduce((sum, { costUsd }) => sum + costUsd, 0),
        costIsEstimate: own.some((run) => run.costUsd > 0 && run.costIsEstimate),
      };
    },
  };

  async function read(): Promise<void> {
    const ended = new Map([...seen].filter(([, { endedAt }]) => endedAt !== undefined));
    for (const storyId of storyIds) {
      // Records that cannot be read keep their story from being started; the others go on.
      const runs = await store.listRuns(storyId, ended).catch(() => []);
      for (const run of runs) seen.set(run.id, run);
    }
  }
}
