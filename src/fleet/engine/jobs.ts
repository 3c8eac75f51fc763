// The fleet's queue of stories, in pg-boss. A member claims a job, keeps it by touching it, and settles it by the attempt
// that it claimed, so that a member that slept through its claim settles nothing.

import { PgBoss, type FlowJob, type Job as BossJob, type JobWithMetadata } from "pg-boss";
import { groupOf, jobSchema, takesGroup, type FleetJob } from "../backlog/job.ts";
import type { Database } from "./database.ts";
import { insertPlan } from "./insert-plan.ts";
import { markLeftIfSilent, rankOf, unmark } from "./queue-order.ts";

/** Silence for this long gives a job to another member. */
export const HEARTBEAT_SECONDS = 30;
/** Dead members are looked for this often. */
const WATCH_SECONDS = 5;
const DAY_SECONDS = 24 * 3600;
/** For a story that cannot start yet. */
const RETRY_SECONDS = 3;
/** A retry is not a failure: a story that waits for another one is tried again, too. */
const MANY_RETRIES = 1_000_000;

const STORY = "story";
/** Stands for the merge of a story that people merge: what depends on the story waits for it. */
const MERGE = "merge";
const QUEUES = [STORY, MERGE] as const;

export interface QueuedStory extends FleetJob {
  readonly labels: readonly string[];
  /** 0 is the most urgent, as in a story's file. */
  readonly priority: number;
  /** Stories that have to be merged first, and are in the same plan. */
  readonly after: readonly string[];
}

export interface ClaimedJob {
  readonly id: string;
  readonly retryCount: number;
  /** Undefined for a row that no Saga wrote. */
  readonly work: FleetJob | undefined;
}

export type JobState = "waiting" | "queued" | "active" | "parked" | "done";

export interface JobView {
  readonly id: string;
  readonly story: string;
  readonly epic: string | undefined;
  readonly merge: boolean;
  readonly state: JobState;
  readonly attempts: number;
  readonly queuedAt: string;
  readonly endedAt: string | undefined;
}

export interface Jobs {
  /** Puts stories in the queue that are not in it, and takes parked ones up again. Returns their ids. */
  readonly enqueue: (stories: readonly QueuedStory[]) => Promise<readonly string[]>;
  readonly claim: (labels: readonly string[]) => Promise<ClaimedJob | undefined>;
  /** Shows that the claims are alive. */
  readonly touch: (claims: readonly ClaimedJob[]) => Promise<void>;
  /** The story is merged, or ready for a person to merge. What depends on it may start. */
  readonly complete: (claim: ClaimedJob) => Promise<void>;
  /** A person is needed. It stays in the queue, and no member takes it. */
  readonly park: (claim: ClaimedJob) => Promise<void>;
  /** Another try, by any member. */
  readonly retry: (claim: ClaimedJob) => Promise<void>;
  /** People merged it: what depends on it may start. */
  readonly markMerged: (story: string) => Promise<void>;
  /** Takes a story up again that is parked, or that passed its gate before. False if it is in the queue, or never was. */
  readonly unpark: (story: string) => Promise<boolean>;
  /** A person discarded it: it stays in the queue, and no member takes it. A member that has claimed it settles nothing. */
  readonly withdraw: (story: string) => Promise<void>;
  readonly list: () => Promise<readonly JobView[]>;
  readonly close: () => Promise<void>;
}

export interface JobsOptions {
  readonly schema: string;
  /** Looks for dead members and moves their jobs. Every member that takes stories does. */
  readonly supervise?: boolean;
  /** Creates the tables. Needs more rights than a member has. */
  readonly migrate?: boolean;
  readonly onProblem?: ((error: unknown) => void) | undefined;
}

export async function openJobs(
  { query, execute }: Pick<Database, "query" | "execute">,
  { schema, supervise = false, migrate = false, onProblem = () => undefined }: JobsOptions,
): Promise<Jobs> {
  const boss = new PgBoss({
    // The connections of the database, which notices dead ones.
    db: { executeSql: execute },
    schema,
    supervise,
    superviseIntervalSeconds: WATCH_SECONDS,
    monitorIntervalSeconds: WATCH_SECONDS,
    flowIntervalSeconds: 1,
    schedule: false,
    migrate,
    createSchema: migrate,
    // Needs rights that a member does not have; the tables are small.
    reindex: false,
    monitorVacuum: false,
  });
  boss.on("error", onProblem);
  boss.on("warning", () => undefined);
  await boss.start();
  if (migrate) for (const queue of QUEUES) await createQueue(boss, queue);
  return {
    async enqueue(stories) {
      const newest = new Map(
        (await findJobs(STORY)).toSorted(byAge).map((job) => [job.data.story, job]),
      );
      const missing = stories.filter(({ story }) => !OPEN.has(newest.get(story)?.state ?? ""));
      // What depends on a parked story waits for that very job.
      const parked = missing.flatMap(({ story, merge }) => {
        const job = newest.get(story);
        return job?.state === "cancelled" && job.data.merge === merge ? [job] : [];
      });
      for (const { id } of parked) await boss.resume(STORY, id);
      const isParked = new Set(parked.map(({ data }) => data.story));
      const merges = new Set((await findOpen(MERGE)).map(({ data }) => data.story));
      const fresh = missing.filter(({ story }) => !isParked.has(story));
      await insertPlan(boss, flowOf(fresh, merges));
      return missing.map(({ story }) => story);
    },
    async claim(labels) {
      const ignoreGroups = labels.length === 0 ? undefined : await foreignGroups(labels);
      const [job] = await boss.fetch<unknown>(STORY, {
        batchSize: 1,
        ...(ignoreGroups && { ignoreGroups }),
      });
      if (job === undefined) return undefined;
      await markLeftIfSilent(query, schema, attempt(job));
      return { ...attempt(job), work: jobSchema.safeParse(job.data).data };
    },
    async touch(claims) {
      if (claims.length > 0) await boss.touch(STORY, claims.map(attempt));
    },
    async complete(claim) {
      await boss.complete(STORY, attempt(claim));
      await boss.resolveFlow();
    },
    async park(claim) {
      await boss.cancel(STORY, attempt(claim));
    },
    async retry(claim) {
      await unmark(query, schema, attempt(claim), RETRY_SECONDS);
      await boss.fail(STORY, attempt(claim));
    },
    async markMerged(story) {
      for (const queue of QUEUES) {
        const open = (await findOpen(queue)).filter(
          ({ data, state }) => data.story === story && state !== "active",
        );
        for (const { id } of open) await boss.complete(queue, id, null, { includeQueued: true });
      }
      await boss.resolveFlow();
    },
    async unpark(story) {
      const newest = await newestOf(story);
      if (newest === undefined || OPEN.has(newest.state)) return false;
      if (newest.state === "cancelled") await boss.resume(STORY, newest.id);
      else await insertAgain(newest);
      return true;
    },
    async withdraw(story) {
      const newest = await newestOf(story);
      if (newest?.state === "completed") await insertAgain(newest);
      const open = (await findOpen(STORY)).filter(({ data }) => data.story === story);
      // By the bare id, also if a member claims it meanwhile: it must not be worked on.
      for (const { id } of open) await boss.cancel(STORY, id);
    },
    async list() {
      return (await findJobs(STORY)).toSorted(byAge).map(viewOf);
    },
    close: () => boss.stop({ graceful: false, close: true }),
  };

  async function findJobs(queue: string): Promise<JobWithMetadata<FleetJob>[]> {
    const jobs = await boss.findJobs<unknown>(queue);
    return jobs.flatMap((job) => {
      const { data } = jobSchema.safeParse(job.data);
      return data ? [{ ...job, data }] : [];
    });
  }

  async function newestOf(story: string): Promise<JobWithMetadata<FleetJob> | undefined> {
    const jobs = (await findJobs(STORY)).filter(({ data }) => data.story === story);
    return jobs.toSorted(byAge).at(-1);
  }

  /** What depends on the story waits for its merge, which is a job of its own or has passed already. */
  async function insertAgain({ data, priority, groupId }: JobWithMetadata<FleetJob>) {
    await boss.insert(STORY, [
      {
        data,
        singletonKey: data.story,
        priority,
        ...(groupId && { group: { id: groupId } }),
      },
    ]);
  }

  async function findOpen(queue: string): Promise<JobWithMetadata<FleetJob>[]> {
    return (await findJobs(queue)).filter(({ state }) => OPEN.has(state));
  }

  /** The engine selects by groups to leave out, not by groups to take. */
  async function foreignGroups(labels: readonly string[]): Promise<string[]> {
    const rows = await query<{ group_id: string }>(
      `SELECT DISTINCT group_id FROM ${schema}.job WHERE name = $1 AND group_id IS NOT NULL`,
      [STORY],
    );
    return rows.map((row) => row.group_id).filter((group) => !takesGroup(labels, group));
  }
}

const OPEN: ReadonlySet<string> = new Set(["created", "retry", "active"]);

const createQueue = (boss: PgBoss, queue: string): Promise<void> =>
  boss.createQueue(queue, {
    // One open job per story.
    policy: "exclusive",
    heartbeatSeconds: HEARTBEAT_SECONDS,
    expireInSeconds: DAY_SECONDS,
    retryLimit: MANY_RETRIES,
    retryDelay: RETRY_SECONDS,
    retentionSeconds: 365 * DAY_SECONDS,
    deleteAfterSeconds: 30 * DAY_SECONDS,
  });

/**
 * A story's dependents wait for its job if a member merges it, and otherwise for a job that only people complete. `merges`:
 * stories that have such a job from before. What depends on one and is new does not wait in the queue: the member that
 * claims it looks at the story's state, and gives it back.
 */
export function flowOf(
  stories: readonly QueuedStory[],
  merges: ReadonlySet<string> = new Set(),
): FlowJob[] {
  const planned = new Map(stories.map((story) => [story.story, story]));
  const endOf = ({ story, merge }: QueuedStory): string | undefined => {
    if (merge) return story;
    return merges.has(story) ? undefined : `${story}/${MERGE}`;
  };
  return stories.flatMap(({ labels, priority, after, ...data }) => {
    const options = {
      singletonKey: data.story,
      priority: rankOf(priority),
      group: { id: groupOf(labels) },
    };
    const dependsOn = after.flatMap((id) => {
      const before = planned.get(id);
      return (before && endOf(before)) ?? [];
    });
    const work: FlowJob = { ref: data.story, name: STORY, data, options, dependsOn };
    if (data.merge || merges.has(data.story)) return [work];
    return [
      work,
      { ref: `${data.story}/${MERGE}`, name: MERGE, data, options, dependsOn: [data.story] },
    ];
  });
}

const attempt = ({ id, retryCount }: Pick<BossJob, "id" | "retryCount">) => ({ id, retryCount });

const byAge = (one: JobWithMetadata, other: JobWithMetadata): number =>
  one.createdOn.getTime() - other.createdOn.getTime();

const STATES: Readonly<Record<JobWithMetadata["state"], JobState>> = {
  created: "queued",
  retry: "queued",
  active: "active",
  completed: "done",
  cancelled: "parked",
  failed: "parked",
};

const viewOf = ({
  id,
  data,
  state,
  blocked,
  retryCount,
  createdOn,
  completedOn,
}: JobWithMetadata<FleetJob>): JobView => ({
  id,
  story: data.story,
  epic: data.epic,
  merge: data.merge,
  state: blocked && state === "created" ? "waiting" : STATES[state],
  attempts: retryCount + 1,
  queuedAt: createdOn.toISOString(),
  endedAt: completedOn?.toISOString(),
});
