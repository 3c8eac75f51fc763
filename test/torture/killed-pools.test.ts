import { afterAll, expect, it } from "vitest";
import { readDaemons } from "../../src/tasks/daemon-files.ts";
import { isTorture } from "../support/kill-places.ts";
import { seeded } from "../support/seeded.ts";
import { newKilledPool, type KilledPool, type PoolPlan } from "../support/torture/killed-pool.ts";
import { until } from "../support/until.ts";
import { expectExit } from "../support/expect-exit.ts";

/** `npm run torture` takes the whole; `npm test` a small one that is always the same. */
const given = process.env["SAGA_SEED"];
const PLAN: PoolPlan = isTorture
  ? { tasks: 20, workers: 3, kills: 45 }
  : { tasks: 5, workers: 2, kills: 8 };
const SEEDS = given === undefined ? range(isTorture ? 20 : 1) : [Number(given)];
const ran = { seeds: 0, kills: 0 };

afterAll(() => {
  process.stdout.write(`\n${ran.seeds} pools survived ${ran.kills} kills.\n`);
});

it.for(SEEDS)(
  "whatever is killed in a pool, each task is merged once, by its own commit, and no process remains: seed %i",
  async (seed) => {
    const pool = await newKilledPool(PLAN, seeded(seed));
    try {
      for (let kills = 0; kills < PLAN.kills; kills++) {
        pool.keepRunning();
        await pool.kill();
        expectCompletedLanded(pool);
      }
      await finishIn(pool);
      expectLandedOnce(pool);
      await expectTrueViews(pool);
      await expectNothingRuns(pool);
    } catch (error) {
      process.stdout.write(`SAGA_SEED=${seed}\n${pool.log.join("\n")}\n${pool.output()}\n`);
      throw error;
    }
    expect(pool.log).toHaveLength(PLAN.kills);
    ran.seeds++;
    ran.kills += pool.log.length;
  },
);

/** Read before the commits: what is completed was merged before that. */
function expectCompletedLanded({ stage, unchanged }: KilledPool): void {
  const completed = Object.entries(stage.tasks()).flatMap(([id, status]) =>
    status === "completed" && id !== unchanged ? id : [],
  );
  expect(stage.merged()).toEqual(expect.arrayContaining(completed));
}

/** Nothing is killed any more: now all of it has to be done, by as many pools as that takes. */
async function finishIn({ stage, calm }: KilledPool): Promise<void> {
  await calm();
  await expectExit(0, stage.run("auto", "stop"));
  await expectExit(0, stage.auto("--once", "--workers", String(PLAN.workers)).ended);
}

function expectLandedOnce({ stage, ids, unchanged }: KilledPool): void {
  const changed = ids.filter((id) => id !== unchanged);
  expect(stage.merged().toSorted()).toEqual(changed.toSorted());
  for (const id of changed) {
    const trailer = "--format=%(trailers:key=Saga-Task,valueonly)";
    expect(stage.git("log", trailer, "main", "--", `out/${id}.txt`)).toBe(`chores/${id}`);
    expect(stage.git("show", `main:out/${id}.txt`)).toBe(`The work of ${id}.`);
  }
}

async function expectTrueViews({ stage, ids }: KilledPool): Promise<void> {
  expect(stage.tasks()).toEqual(Object.fromEntries(ids.map((id) => [id, "completed"])));
  const listed = await stage.run("task", "list", "--json");
  const { tasks } = JSON.parse(listed.stdout) as { tasks: { id: string; state: string }[] };
  expect(Object.fromEntries(tasks.map(({ id, state }) => [id, state]))).toEqual(stage.tasks());
  const status = await expectExit(0, stage.run("status"));
  expect(status.stdout).not.toMatch(/auto-\d/);
  const auto = await stage.run("auto", "status", "--json");
  expect((JSON.parse(auto.stdout) as { daemons: unknown[] }).daemons).toEqual([]);
}

async function expectNothingRuns({ stage }: KilledPool): Promise<void> {
  await until(() => stage.sessions().length === 0 && stage.processes().length === 0);
  expect(readDaemons(stage.path).filter(({ life }) => life === "alive")).toEqual([]);
  expect((await stage.store.leases.list()).map(({ name }) => name)).toEqual([]);
}

function range(count: number): number[] {
  return Array.from({ length: count }, (_, at) => at + 1);
}
