// The fleet's queue of stories, in pg-boss. A member claims a job, keeps it by touching it, and settles it by the attempt
// that it claimed, so that a member that slept through its claim settles nothing.

import { PgBoss, type ConnectionOptions, type Job as BossJob, type JobWithMetadata } from "pg-boss";
import type { ParkReason } from "../../story/state/fleet-work.ts";
import { jobSchema, takesGroup, type FleetJob } from "../backlog/job.ts";
import type { Database } from "./database.ts";
import { insertPlan } from "./insert-plan.ts";
import { flowOf, MERGE, STORY, type QueuedStory } from "./job-flow.ts";
import { viewOf, type JobView } from "./job-view.ts";
import { noteParked } from "./park-reason.ts";
import { markLeftIfSilent, unmark } from "./queue-order.ts";

/** Silence for this long gives a job to another member. */
export const HEARTBEAT_SECONDS = 30;
/** Dead members are looked for this often. */
const WATCH_SECONDS = 5;
const DAY_SECONDS = 24 * 3600;
/** For a story that cannot start yet. */
const RETRY_SECONDS = 3;
/** A retry is not a failure: a story that waits for another one is tried again, too. */
const MANY_RETRIES = 1_000_000;

const QUEUES = [STORY, MERGE] as const;

export interface ClaimedJob {
  readonly id: string;
  readonly retryCount: number;
  /** Undefined for a row that no Saga wrote. */
  readonly work: FleetJob | undefined;
}

export interface Jobs {
  /**
   * Puts stories in the queue that are not in it, and takes parked ones up again, unless `parkedStay`. Returns the ids of
   * those that members may take now and could not before.
   */
  readonly enqueue: (
    stories: readonly QueuedStory[],
    options?: { readonly parkedStay?: boolean },
  ) => Promise<readonly string[]>;
  readonly claim: (labels: readonly string[]) => Promise<ClaimedJob | undefined>;
  /** Shows that the claims are alive. */
  readonly touch: (claims: readonly ClaimedJob[]) => Promise<void>;
  /** The story is merged, or ready for a person to merge. What depends on it may start. */
  readonly complete: (claim: ClaimedJob) => Promise<void>;
  /** It stays in the queue, and no member takes it until a person has acted. */
  readonly park: (claim: ClaimedJob, why: ParkReason) => Promise<void>;
  /** Another try, by any member. */
  readonly retry: (claim: ClaimedJob) => Promise<void>;
  /** People merged it: what depends on it may start. */
  readonly markMerged: (story: string) => Promise<void>;
  /**
   * Takes a story up again that needed a person, or that passed its gate before. False if it is in the queue, never was, or
   * waits for another decision: what was discarded, or had no budget left, is only queued again.
   */
  readonly unpark: (story: string) => Promise<boolean>;
  /** A person discarded it: it stays in the queue, and no member takes it. A member that has claimed it settles nothing. */
  readonly withdraw: (story: string) => Promise<void>;
  /** The same for all stories of an epic that no member has claimed. Returns them. */
  readonly stop: (epic: string) => Promise<readonly string[]>;
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
  { query, execute, together }: Pick<Database, "query" | "execute" | "together">,
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
    async enqueue(stories, { parkedStay = false } = {}) {
      const newest = new Map(
        (await findJobs(STORY)).toSorted(byAge).map((job) => [job.data.story, job]),
      );
      const missing = stories.filter(({ story }) => {
        const state = newest.get(story)?.state ?? "";
        return !OPEN.has(state) && !(parkedStay && PARKED.has(state));
      });
      // What depends on a parked story waits for that very job.
      const parked = missing.flatMap(({ story, merge }) => {
        const job = newest.get(story);
        return job?.state === "cancelled" && job.data.merge === merge ? [job] : [];
      });
      for (const { id } of parked) await boss.resume(STORY, id);
      const isParked = new Set(parked.map(({ data }) => data.story));
      const merges = new Set((await findOpen(MERGE)).map(({ data }) => data.story));
      const fresh = missing.filter(({ story }) => !isParked.has(story));
      await insert(fresh, merges);
      return missing.filter((one) => one.parked === undefined).map(({ story }) => story);
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
    async park(claim, why) {
      await noteParked(query, schema, { ids: [claim.id], why, retryCount: claim.retryCount });
      await boss.cancel(STORY, attempt(claim));
    },
    async retry(claim) {
      await unmark(query, schema, attempt(claim), RETRY_SECONDS);
      await boss.fail(STORY, attempt(claim));
    },
    async markMerged(story) {
      const newest = await newestOf(story);
      // A person finished what was parked: what depends on it waits for that very job.
      if (newest?.state === "cancelled") await boss.resume(STORY, newest.id);
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
      const { parked } = viewOf(newest);
      if (parked !== undefined && parked !== "person") return false;
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
      const all = (await findJobs(STORY)).filter(({ data }) => data.story === story);
      await noteParked(query, schema, { ids: all.map(({ id }) => id), why: "discarded" });
    },
    async stop(epic) {
      const idle = (await findOpen(STORY)).filter(
        ({ data, state }) => data.epic === epic && state !== "active",
      );
      const ids = idle.map(({ id }) => id);
      if (ids.length === 0) return [];
      await noteParked(query, schema, { ids, why: "stopped" });
      await boss.cancel(STORY, ids);
      return idle.map(({ data }) => data.story);
    },
    async list() {
      return (await findJobs(STORY)).toSorted(byAge).map(viewOf);
    },
    close: () => boss.stop({ graceful: false, close: true }),
  };

  /** All or nothing: no member sees a job that is to be parked. */
  async function insert(
    stories: readonly QueuedStory[],
    merges: ReadonlySet<string>,
  ): Promise<void> {
    const plan = flowOf(stories, merges);
    const parked = new Map(
      stories.flatMap(({ story, parked: why }) => (why ? [[story, why]] : [])),
    );
    if (parked.size === 0) return insertPlan(boss, plan);
    await together(async (within) => {
      const db = asEngine(within);
      await insertPlan(boss, plan, db);
      for (const { id, data, state } of await findJobs(STORY, db)) {
        const why = parked.get(data.story);
        if (why === undefined || !OPEN.has(state)) continue;
        await boss.cancel(STORY, id, db);
        await noteParked(within, schema, { ids: [id], why });
      }
    });
  }

  async function findJobs(
    queue: string,
    options: ConnectionOptions = {},
  ): Promise<JobWithMetadata<FleetJob>[]> {
    const jobs = await boss.findJobs<unknown>(queue, options);
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
const PARKED: ReadonlySet<string> = new Set(["cancelled", "failed"]);

/** For statements of the engine within a transaction of ours. */
const asEngine = (within: Database["query"]): ConnectionOptions => ({
  db: {
    executeSql: async (text, values) => ({ rows: (await within(text, values)) as unknown[] }),
  },
});

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

const attempt = ({ id, retryCount }: Pick<BossJob, "id" | "retryCount">) => ({ id, retryCount });

const byAge = (one: JobWithMetadata, other: JobWithMetadata): number =>
  one.createdOn.getTime() - other.createdOn.getTime();
