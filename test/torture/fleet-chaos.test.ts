import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import {
  commit,
  FAULTS,
  type ChaosMember,
  type ChaosWorld,
} from "../support/fleet-chaos/faults.ts";
import { violations } from "../support/fleet-chaos/invariants.ts";
import { logPushes } from "../support/fleet-chaos/push-log.ts";
import { newTcpGate } from "../support/fleet-chaos/tcp-gate.ts";
import {
  commitEpic,
  newFleetStage,
  type FleetMember,
  type FleetStage,
} from "../support/fleet-stage.ts";
import { isTorture } from "../support/kill-places.ts";
import { ownPostgres } from "../support/postgres.ts";
import { root } from "../support/programs.ts";
import { runSeed, seeded, type Chance } from "../support/seeded.ts";
import { follows } from "../support/stage.ts";

const STORIES = {
  cart: [],
  price: [],
  stock: [],
  login: [],
  order: ["cart", "price"],
  mail: ["login"],
};
const TASKS = ["one", "two"];
const HOURS_MS = 3_600_000;
const MACHINES: Readonly<Record<string, number>> = {
  ann: 0,
  bob: 5 * HOURS_MS,
  cal: -7 * HOURS_MS,
};
const CONFIG =
  '[watch]\ncheck_in_minutes = 0.05\nsilent_check_ins = 1000\n[fleet]\nname = "shop"\n';
const ROUNDS = 8;

const given = process.env["SAGA_SEED"];
const seeds = given === undefined ? [0, 1, 2].map((at) => runSeed() + at) : [Number(given)];

/** Each takes some minutes: kills, sleep, broken networks and a crashing database, on machines with wrong clocks. */
it.runIf(isTorture).for(seeds)(
  "whatever happens to members and database, each story has one owner at a time and is merged once: seed %i",
  { timeout: 900_000 },
  async (seed) => {
    const { stage, world, pushes } = await newWorld();
    const [first] = world.members;
    if (first === undefined) throw new RangeError("no member");
    const log: string[] = [];
    try {
      await first.member.run("epic", "run", "shop", "--fleet", "--merge", "--detach");
      await play(world, seeded(seed), log);
      await untilDone(world, stage);
      const tasks = Object.keys(STORIES).flatMap((id) => TASKS.map((task) => `${id}-${task}`));
      const { remoteGit } = stage;
      const stories = Object.keys(STORIES);
      expect(violations({ pushes: pushes.read(), remoteGit, stories, tasks })).toEqual([]);
      await expectAgreement(world);
      for (const { joined } of world.members) expect(await joined.leave()).toBe(0);
      for (const { member } of world.members) expect(member.processes()).toEqual([]);
    } catch (error) {
      const outputs = world.members.map(
        ({ member, joined }) => `${member.name}:\n${joined.output()}`,
      );
      process.stdout.write([`SAGA_SEED=${seed}`, ...log, ...outputs, ""].join("\n"));
      throw error;
    }
    process.stdout.write(`SAGA_SEED=${seed}: ${log.join("; ")}\n`);
  },
);

async function newWorld() {
  // It is going to crash.
  const server = await ownPostgres();
  const stage = await newFleetStage(
    server,
    follows(
      Object.fromEntries(
        Object.keys(STORIES).flatMap((id) =>
          TASKS.map((task) => [
            `${id}-${task}`,
            [{ write: `${id}-${task}.txt`, content: "done\n" }, { run: "sleep 2" }],
          ]),
        ),
      ),
    ),
  );
  const remote = join(stage.folder, "remote.git");
  const pushes = logPushes(remote);
  const members: ChaosMember[] = [];
  for (const [name, clockMs] of Object.entries(MACHINES)) {
    const gate = await newTcpGate(Number(new URL(stage.url).port));
    const url = new URL(stage.url);
    url.port = String(gate.port);
    const member = stage.newMember(name, {
      SAGA_FLEET_URL: url.href,
      SAGA_TEST_CLOCK_MS: String(clockMs),
      NODE_OPTIONS: `--require=${join(root, "test/support/fleet-chaos/shift-clock.cjs")}`,
    });
    const remoteLink = join(member.home, "remote.git");
    symlinkSync(remote, remoteLink);
    member.git("remote", "set-url", "origin", remoteLink);
    if (members.length === 0) {
      commitEpic(member, "shop", STORIES, { config: CONFIG, tasks: TASKS });
      const init = await member.run("fleet", "init");
      if (init.exitCode !== 0) throw new Error(init.stderr);
    } else member.git("pull", "--quiet");
    members.push({ member, gate, remoteLink, joined: member.join("--slots", "2") });
  }
  const world: ChaosWorld = { server, url: stage.url, members };
  return { stage, world, pushes };
}

async function play(world: ChaosWorld, chance: Chance, log: string[]): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) {
    const fault = FAULTS[chance.below(FAULTS.length)];
    if (fault !== undefined) log.push(await commit(fault, world, chance));
    rejoin(world);
  }
}

/** A member whose process ended is started again, as its service manager does. */
function rejoin({ members }: ChaosWorld): void {
  for (const one of members) {
    const { exitCode, signalCode } = one.joined.child;
    if (exitCode !== null || signalCode !== null) one.joined = one.member.join("--slots", "2");
  }
}

async function untilDone(world: ChaosWorld, { remoteGit }: FleetStage): Promise<void> {
  const [one] = world.members;
  for (let endMs = Date.now() + 600_000; Date.now() < endMs;) {
    rejoin(world);
    const ended = await one?.member.run("epic", "run", "shop", "--fleet", "--merge");
    if (ended?.exitCode === 0) return;
  }
  throw new Error(`The epic was not finished: ${remoteGit("log", "--oneline", "main")}`);
}

/** Every member sees the same base, queue and states of stories: everything is done. */
async function expectAgreement({ members }: ChaosWorld): Promise<void> {
  const views: unknown[] = [];
  for (const { member } of members) {
    const synced = await member.run("fleet", "sync");
    if (synced.exitCode !== 0) throw new Error(synced.stderr);
    const states = await statesOn(member);
    member.git("pull", "--quiet", "--ff-only");
    const status = (await member.json("fleet", "status")) as {
      readonly stories: readonly { readonly story: string; readonly queue: string }[];
    };
    views.push({
      base: member.git("rev-parse", "HEAD"),
      queue: status.stories.map(({ story, queue }) => `${story} ${queue}`).toSorted(),
      states,
    });
  }
  for (const view of views) expect(view).toEqual(views[0]);
  const done = Object.keys(STORIES).map((story) => `${story} done`);
  const states = Object.keys(STORIES).map((story) => [story, "completed completed"]);
  expect(views[0]).toMatchObject({
    queue: done.toSorted(),
    states: Object.fromEntries(states) as unknown,
  });
}

/** As `saga list` and `saga show` say, before the person updates the checkout. */
async function statesOn({ json }: FleetMember): Promise<Record<string, string>> {
  const { stories } = (await json("list")) as {
    readonly stories: readonly { readonly id: string; readonly state: string }[];
  };
  const states: Record<string, string> = {};
  for (const { id, state } of stories) {
    states[id] = `${state} ${String((await json("show", id))["state"])}`;
  }
  return states;
}
