// The end of a schedule: no more failures, and a person finishes everything with the usual commands, as `saga` advises.

import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Ended } from "../programs.ts";
import { STORY } from "../stage.ts";
import { outcome } from "./commands.ts";
import { patiently } from "./edits.ts";
import { namesIn, textOf } from "./facts.ts";
import { listed, type Listed } from "./invariants.ts";
import { setClock } from "./trouble.ts";
import { EPIC, processesOf, type World } from "./world.ts";

const ROUNDS = 8;
const QUIET_MS = 60_000;

export async function calmDown(world: World, tell: (line: string) => void): Promise<void> {
  world.isCalm = true;
  world.trouble.heal?.();
  setClock(world, 0);
  rmSync(join(world.stage.home, "doom"), { recursive: true, force: true });
  await Promise.all(world.underWay);
  const saga = async (...words: string[]) => {
    const ended = await world.saga(words);
    tell(`saga ${words.join(" ")}: ${outcome(ended)}`);
    bringBackBranch(world, ended);
    return ended;
  };
  // A detached pool would run forever.
  await saga("auto", "drain");
  for (let round = 1; ; round++) {
    await untilQuiet(world);
    commitByHand(world);
    const stories = [...(await listed(world)).values()];
    const isDone = stories.every(({ state }) => state === "completed") && isPoolDone(world);
    if (isDone && round > 1) break;
    if (round > ROUNDS) {
      world.report(`These stories do not end: ${stories.map(stateText).join(", ")}.`);
      break;
    }
    await saga("recover", "--json");
    for (const { id, state } of stories) {
      if (state === "blocked") await saga("resolve", id, "Go on.");
    }
    await saga("resume", "--all");
    await saga("epic", "run", EPIC, "--parallel", "3", "--merge");
    const loose = (await listed(world)).get(STORY);
    if (loose?.state === "ready" || loose?.state === "failed") {
      await saga("run", STORY, "--foreground");
    }
    await untilQuiet(world);
    for (const { id, state } of (await listed(world)).values()) {
      if (state === "review") await saga("accept", id, "--merge");
    }
    for (const id of heldTasks(world)) await saga("task", "release", id);
    await saga("auto", "--once");
    await saga("clean");
  }
  if (world.dashboard !== undefined) process.kill(world.dashboard.pid, "SIGTERM");
  await untilQuiet(world);
}

const stateText = ({ id, state }: Listed): string => `${id} is ${state}`;

/** No process of Saga is running, except a dashboard. */
async function untilQuiet(world: World): Promise<void> {
  const isQuiet = (): boolean =>
    processesOf(world).every(({ role }) => role === "dashboard" && world.dashboard !== undefined);
  for (const deadline = performance.now() + QUIET_MS; !isQuiet(); await wait(50)) {
    world.seeTips();
    if (performance.now() < deadline) continue;
    const left = processesOf(world).map(({ pid, line }) => `${pid} ${line}`);
    return world.report(`It does not settle:\n${left.join("\n")}`);
  }
}

/** What a person has begun they bring to an end as well, before anything else is merged there. */
function commitByHand({ stage }: World): void {
  const changed = stage.git("diff", "--name-only", "HEAD").split("\n");
  // Saga's own changes to an epic's file are not a person's.
  const own = changed.filter((file) => file !== "" && !file.startsWith(".saga/epics/"));
  if (own.length === 0) return;
  patiently(() => stage.git("commit", "--quiet", "--message=By hand", "--", ...own));
}

/** As the refusal advises. */
function bringBackBranch({ stage }: World, { stdout, stderr }: Ended): void {
  const hint = /`git (?<words>update-ref refs\/heads\/\S+ [0-9a-f]{40})`/.exec(stdout + stderr);
  const words = hint?.groups?.["words"]?.split(" ");
  if (words !== undefined) stage.git(...words);
}

interface PoolTask {
  readonly id: string;
  readonly status: string;
  readonly metadata?: { readonly saga?: { readonly held?: unknown } };
}

const poolTasks = ({ listFolder }: World): PoolTask[] =>
  namesIn(listFolder)
    .filter((name) => /^[^.].*\.json$/.test(name))
    .map((name) => JSON.parse(textOf(join(listFolder, name)) ?? "{}") as PoolTask);

const isPoolDone = (world: World): boolean =>
  poolTasks(world).every(({ status }) => status === "completed");

const heldTasks = (world: World): string[] =>
  poolTasks(world).flatMap(({ id, metadata }) => (metadata?.saga?.held === undefined ? [] : [id]));
