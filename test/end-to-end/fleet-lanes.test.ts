import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { newFleetLane } from "../support/fleet-lane.ts";
import { isTorture, killPlaces } from "../support/kill-places.ts";
import { builtSaga, killAtHook, killVariables, runNode } from "../support/programs.ts";
import { SUITE } from "../support/ready-stories.ts";
import {
  commitEpic,
  newFleetStage,
  type FleetMember,
  type FleetStage,
} from "../support/fleet-stage.ts";
import { asking, dropDatabase, usePostgres } from "../support/postgres.ts";
import { follows } from "../support/stage.ts";
import { becomesTrue } from "../support/until.ts";
import { aStory } from "../support/project.ts";

const postgres = usePostgres();
const STORIES = { cart: [], price: [], order: [], mail: [] };
const CONFIG = `[gate]\nreuse_receipts = false\n[queue]\nparallel = 1\n[fleet]\nname = "shop"\n`;

/** The check of each story writes down when it begins, ends or is stopped, and waits for a file. */
async function newStage(stories: Readonly<Record<string, readonly string[]>> = STORIES) {
  const stage = await newFleetStage(await postgres(), follows());
  const [log, go] = [join(stage.folder, "checks.log"), join(stage.folder, "go")];
  const ann = stage.newMember("ann");
  commitEpic(ann, "shop", stories, { config: CONFIG });
  for (const id of Object.keys(stories)) {
    const trap = `trap 'echo stopped ${id} >> ${log}; exit 1' TERM`;
    const check = `${trap}; echo begin ${id} >> ${log}; until [ -e ${go} ]; do sleep 0.1; done; echo end ${id} >> ${log}`;
    ann.write(`.saga/stories/${id}/story.json`, aStory(id, { epic: "shop", checks: [check] }));
  }
  ann.git("commit", "--quiet", "--all", "--message=Checks");
  ann.git("push", "--quiet", "origin", "HEAD:main");
  expect(await ann.run("fleet", "init")).toMatchObject({ exitCode: 0 });
  const bob = stage.newMember("bob");
  writeFileSync(go, "");
  const work = (member: FleetMember, ...ids: string[]) =>
    Promise.all(ids.map((id) => member.run("worker", id)));
  const own = (ids: readonly string[]): string[] => ids.filter((id) => id in stories);
  const worked = [
    ...(await work(ann, ...own(["cart", "order"]))),
    ...(await work(bob, ...own(["price", "mail"]))),
  ];
  expect(worked.map(({ exitCode }) => exitCode)).toEqual(Object.keys(stories).map(() => 0));
  writeFileSync(log, "");
  return {
    stage,
    ann,
    bob,
    checks: () => readFileSync(log, "utf8").split("\n").filter(Boolean),
    hold: () => rmSync(go),
    release: () => appendFileSync(go, ""),
  };
}

/** 30 seconds without a sign of life, as the database sees it. */
const silence = ({ url }: Pick<FleetStage, "url">, machine: string): Promise<unknown> =>
  asking(url, ({ query }) =>
    query(
      `UPDATE saga_shop.lease SET renewed_at = renewed_at - interval '30 seconds' WHERE record->>'machine' = $1`,
      [machine],
    ),
  );

const lander = ({ url }: FleetStage): Promise<string | undefined> =>
  asking(url, async ({ query }) => {
    const rows = await query<{ machine: string }>(
      "SELECT record->>'machine' AS machine FROM saga_shop.lease WHERE name LIKE 'lane.%' AND record IS NOT NULL",
    );
    return rows[0]?.machine;
  });

const landed = (stage: FleetStage): string[] =>
  stage
    .remoteGit("log", "--reverse", "--format=%(trailers:key=Saga-Task,valueonly)", "main")
    .split("\n")
    .filter(Boolean);

it(
  "lets one machine land for two, and replaces it when it is killed: nothing lands twice",
  { timeout: 240_000 },
  async () => {
    const { stage, ann, bob, checks, hold, release } = await newStage();
    const both = await Promise.all([ann.run("merge", "order"), bob.run("merge", "mail")]);
    expect(both.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
    // One lander at a time: no check begins before another has ended.
    for (const [at, line] of checks().entries()) {
      const [, id] = line.split(" ");
      expect(line).toBe(`${at % 2 === 0 ? "begin" : "end"} ${id}`);
    }

    hold();
    const killed = ann.run("merge", "cart");
    await becomesTrue("ann checks cart", () => checks().includes("begin cart"));
    expect(await lander(stage)).toBe("ann");
    const waiting = bob.run("merge", "price");
    for (const member of [ann, bob]) {
      await becomesTrue(`${member.name} sees both`, async () => {
        const { stdout } = await member.run("queue");
        return /cart +on ann/.test(stdout) && /price +on bob/.test(stdout);
      });
    }
    ann.kill();
    await killed;
    expect(checks()).not.toContain("begin price");
    await silence(stage, "ann");
    await becomesTrue("bob lands", async () => (await lander(stage)) === "bob");
    release();
    expect(await waiting).toMatchObject({ exitCode: 0 });
    // What the killed machine had put there is landed with it.
    expect(landed(stage)).toContain("cart-one");

    const tip = stage.remoteGit("rev-parse", "main");
    expect(landed(stage).toSorted()).toEqual(["cart-one", "mail-one", "order-one", "price-one"]);
    // The killed machine comes back, and repeats its command.
    expect(existsSync(join(ann.path, ".saga/worktrees/cart"))).toBe(true);
    expect(await ann.run("merge", "cart")).toMatchObject({ exitCode: 0 });
    expect(existsSync(join(ann.path, ".saga/worktrees/cart"))).toBe(false);
    expect(stage.remoteGit("rev-parse", "main")).toBe(tip);
    const shop = Object.keys(stage.remoteRefs()).filter((ref) => ref.includes("saga/lease"));
    expect(shop).toEqual([]);
  },
);

it(
  "stops a lander that lost its lane to another machine, and lets it land when the lane is free",
  { timeout: 120_000 },
  async () => {
    const { stage, ann, checks, hold, release } = await newStage({ cart: [] });
    const change = (set: string): Promise<unknown> =>
      asking(stage.url, ({ query }) =>
        query(`UPDATE saga_shop.lease SET ${set} WHERE name LIKE 'lane.%'`),
      );
    hold();
    const merging = ann.run("merge", "cart");
    await becomesTrue("ann checks cart", () => checks().includes("begin cart"));
    const tip = stage.remoteGit("rev-parse", "main");
    await change(
      `fence = fence + 1, record = jsonb_set(record, '{machine}', '"eve"'), renewed_at = clock_timestamp() + interval '1 hour'`,
    );
    await becomesTrue("ann stops its check", () => checks().includes("stopped cart"));
    expect(stage.remoteGit("rev-parse", "main")).toBe(tip);
    release();
    await change("record = NULL");
    expect(await merging).toMatchObject({ exitCode: 0 });
    expect(checks()).toEqual(["begin cart", "stopped cart", "begin cart", "end cart"]);
    expect(landed(stage)).toEqual(["cart-one"]);
  },
);

/** Logs the code that it passed on. */
const loggedSuite = (log: string): string =>
  `( ${SUITE} ) || exit 1\ngit rev-parse 'HEAD:code' >> '${log}.passed'`;

/** Ann's machine lands a story of its own and two of bob's, and is killed at an effect; 0 for none. */
async function landAndKill(killAt: number) {
  const about = `killed at effect ${killAt}`;
  const server = await postgres();
  const lane = await newFleetLane(server, {
    ann: [{ id: "a1", files: { "code/a1.txt": "a1\n" } }],
    bob: ["b1", "b2"].map((id) => ({ id, files: { [`code/${id}.txt`]: `${id}\n` } })),
    suite: loggedSuite,
  });
  const { ann, bob } = lane.machines;
  await ann.enqueue("a1");
  for (const id of ["b1", "b2"]) await bob.enqueue(id);
  const count = join(ann.clone.path, "../effects");
  const env = { ...ann.env, ...killVariables(killAt, count) };
  const args = ["--require", killAtHook, builtSaga, "queue", "run"];
  const { signal } = await runNode(args, { cwd: ann.clone.path, env });
  await silence(lane, "ann");
  await bob.saga("queue", "run");
  const commands = [
    [ann, "a1"],
    [bob, "b1"],
    [bob, "b2"],
  ] as const;
  for (const [machine, id] of commands) {
    const merged = await machine.saga("merge", id);
    expect(merged.exitCode, `${about}: ${merged.stderr}`).toBe(0);
    expect(existsSync(join(machine.clone.path, `.saga/worktrees/${id}`)), about).toBe(false);
  }
  expect(lane.landed().toSorted(), about).toEqual(["Do a1", "Do b1", "Do b2"]);
  const code = ann.clone.git(`--git-dir=${lane.remote}`, "rev-parse", "main:code");
  const passed = readFileSync(join(ann.clone.path, "../checks.log.passed"), "utf8");
  expect(passed.split("\n"), about).toContain(code);
  const left = Object.keys(lane.remoteRefs()).filter((ref) => /story|lease|keep/.test(ref));
  expect(left, about).toEqual([]);
  // The commands of this process keep their connections until it ends, and a server has only so many.
  await dropDatabase(server, lane.url);
  const isKilled = signal === "SIGKILL";
  // A process that is killed counts nothing.
  const effects = isKilled ? 0 : Number(readFileSync(count, "utf8").split("\n")[0]);
  return { isKilled, effects };
}

it(
  "a lander that is killed at any effect leaves the stories of both machines to the next one, each once",
  { timeout: isTorture ? 60 * 60_000 : 600_000 },
  async () => {
    const { effects } = await landAndKill(0);
    expect(effects).toBeGreaterThan(10);
    const places = killPlaces(effects, 5);
    const runs = [];
    for (const killAt of places) runs.push(await landAndKill(killAt));
    const kills = runs.filter(({ isKilled }) => isKilled).length;
    expect(kills).toBeGreaterThanOrEqual(places.length - 2);
  },
);
