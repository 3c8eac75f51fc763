// Puts the jobs of a plan into the queue, in few statements however many there are.

import type { ConnectionOptions, FlowJob, JobInsert, PgBoss } from "pg-boss";

/** A statement with more would be large, and gains nothing. */
const BATCH = 500;

export async function insertPlan(
  boss: Pick<PgBoss, "flow" | "insert">,
  plan: readonly FlowJob[],
  options?: ConnectionOptions,
): Promise<void> {
  const { linked, single } = splitPlan(plan);
  // All of them or none: what depends on a job names it.
  if (linked.length > 0) await boss.flow([...linked], options);
  const queues = new Set(single.map(({ name }) => name));
  for (const queue of queues) {
    const jobs = single.filter(({ name }) => name === queue).map(asInsert);
    for (let at = 0; at < jobs.length; at += BATCH) {
      await boss.insert(queue, jobs.slice(at, at + BATCH), options);
    }
  }
}

interface SplitPlan {
  /** Jobs that depend on others, and those others. pg-boss takes a flow only if something in it depends on something. */
  readonly linked: readonly FlowJob[];
  readonly single: readonly FlowJob[];
}

export function splitPlan(plan: readonly FlowJob[]): SplitPlan {
  const parents = new Set(plan.flatMap(({ dependsOn = [] }) => dependsOn));
  const isLinked = ({ ref, dependsOn = [] }: FlowJob): boolean =>
    dependsOn.length > 0 || parents.has(ref);
  return { linked: plan.filter(isLinked), single: plan.filter((job) => !isLinked(job)) };
}

/** The rest comes from the queue. */
const asInsert = ({ data, options = {} }: FlowJob): JobInsert => ({
  ...(data && { data }),
  ...(options.singletonKey !== undefined && { singletonKey: options.singletonKey }),
  ...(options.priority !== undefined && { priority: options.priority }),
  ...(options.group && { group: options.group }),
});
