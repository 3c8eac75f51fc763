import type { Store } from "../store/store.ts";
import type { Run } from "../story/state/run.ts";

export interface Spending {
  readonly costUsd: number;
  readonly costIsEstimate: boolean;
}

/** Returns what the stories have cost together since this call, from the records of their runs. */
export async function meterStories(
  store: Pick<Store, "listRuns">,
  storyIds: readonly string[],
): Promise<() => Promise<Spending>> {
  /** Kept by run, so that a run that is pruned meanwhile still counts. */
  const runs = new Map<string, Run>();
  await read();
  const before = new Map([...runs].map(([id, { costUsd }]) => [id, costUsd]));
  return async () => {
    await read();
    const costs = [...runs.values()].map((run) => ({
      costUsd: run.costUsd - (before.get(run.id) ?? 0),
      costIsEstimate: run.costIsEstimate ?? false,
    }));
    return {
      costUsd: costs.reduce((sum, { costUsd }) => sum + costUsd, 0),
      costIsEstimate: costs.some((run) => run.costUsd > 0 && run.costIsEstimate),
    };
  };

  async function read(): Promise<void> {
    const ended = new Map([...runs].filter(([, { endedAt }]) => endedAt !== undefined));
    for (const storyId of storyIds) {
      // A story with unreadable records is not started, so it costs nothing.
      const found = await store.listRuns(storyId, ended).catch(() => []);
      for (const run of found) runs.set(run.id, run);
    }
  }
}
