// The steps of a schedule that are Saga's commands: starts, stops and a person's decisions.

import { spawn } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Step } from "./plan.ts";
import type { Ended } from "../programs.ts";
import { EPIC, looksLikeCrash, storyIds, type World } from "./world.ts";

/** What it did; undefined if there was nothing to do. */
export type Act = (world: World, step: Step) => Promise<string | undefined>;

export const storyAt = (world: World, { pick }: Step): string => {
  const ids = storyIds(world);
  return ids[pick % ids.length] ?? "";
};

/** A short command; some are killed, some are not waited for. */
const command =
  (wordsOf: (world: World, step: Step) => string[]): Act =>
  async (world, step) => {
    const words = wordsOf(world, step);
    const calling = world.saga(words, { killAt: step.doomAt });
    if (step.isAwaited) return `saga ${words.join(" ")}: ${outcome(await calling)}`;
    world.underWay.add(calling);
    void calling.finally(() => world.underWay.delete(calling));
    return `saga ${words.join(" ")}, in the background`;
  };

export function outcome({ exitCode, signal, stdout, stderr }: Ended): string {
  if (signal !== null) return signal;
  const output = `${stdout}${stderr}`.trim().slice(-600).replaceAll("\n", "\n       ");
  return exitCode === 0 ? "0" : `${exitCode} ${output}`;
}

/** The worker, daemon or epic run that it starts is killed at that effect. */
const starting =
  (doomed: readonly string[], wordsOf: (world: World, step: Step) => string[]): Act =>
  async (world, step) => {
    const victim = doomed[step.pick % doomed.length] ?? "";
    const doom = join(world.stage.home, "doom", victim);
    if (step.doomAt !== undefined) writeFileSync(doom, String(step.doomAt));
    else rmSync(doom, { force: true });
    const output = await command(wordsOf)(world, { ...step, doomAt: undefined });
    return step.doomAt === undefined ? output : `${output}; its ${victim} is doomed`;
  };

const dashboard: Act = async (world) => {
  if (world.dashboard !== undefined) return undefined;
  const { stage, program } = world;
  const child = spawn(process.execPath, [program, "dashboard", "--json"], {
    cwd: stage.path,
    env: stage.env,
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let [stdout, stderr] = ["", ""];
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  const isUp = await new Promise<boolean>((resolve) => {
    const timer = setTimeout(() => resolve(false), 30_000);
    child.stdout.on("data", (chunk: Buffer) => {
      stdout += chunk.toString();
      if (!stdout.trimEnd().endsWith("}")) return;
      clearTimeout(timer);
      resolve(true);
    });
    child.once("close", () => {
      clearTimeout(timer);
      resolve(false);
    });
  });
  child.once("close", () => {
    world.dashboard = undefined;
    if (looksLikeCrash(stderr))
      world.report(`The dashboard shows a crash of the program:\n${stderr}`);
  });
  const { address } = (isUp ? JSON.parse(stdout) : {}) as { address?: string };
  if (address === undefined || child.pid === undefined) {
    child.kill("SIGKILL");
    // On a disk that is full or read-only it may refuse.
    if (world.trouble.heal === undefined)
      world.report(`The dashboard did not start:\n${stdout}${stderr}`);
    return "it did not start";
  }
  const url = new URL(address);
  const key = url.searchParams.get("key") ?? "";
  world.dashboard = { pid: child.pid, port: Number(url.port), key };
  return `at port ${url.port}`;
};

/** Its work may be done again, but the discarded work must be in a snapshot. */
const discard: Act = async (world, step) => {
  const storyId = storyAt(world, step);
  const ended = await world.saga(["discard", storyId, "--yes", "--json"], { killAt: step.doomAt });
  if (ended.exitCode === 0 || ended.signal !== null) {
    world.thrownAway.add(storyId);
    for (const [task, story] of world.added) if (story === storyId) world.added.delete(task);
  }
  return `saga discard ${storyId}: ${outcome(ended)}`;
};

const parallel = ({ amount }: Step): string => String(1 + (amount % 3));

export const COMMANDS = {
  "start a story": starting(["worker"], (world, step) => ["run", storyAt(world, step), "--json"]),
  "resume a story": starting(["worker"], (world, step) =>
    step.amount % 2 === 0 ? ["resume", "--all", "--json"] : ["resume", storyAt(world, step)],
  ),
  "start the epic": starting(["worker", "epic"], (_, step) => [
    "epic",
    "run",
    EPIC,
    "--detach",
    `--parallel=${parallel(step)}`,
    ...(step.pick % 2 === 0 ? ["--merge"] : []),
  ]),
  "start the pool": starting(["auto-worker", "auto"], (_, step) => [
    "auto",
    "--detach",
    `--workers=${parallel(step)}`,
    ...(step.pick % 3 === 0 ? ["--once"] : []),
  ]),
  "start the dashboard": dashboard,
  "stop a story": command((world, step) => ["stop", storyAt(world, step), "--json"]),
  "stop everything": command(() => ["stop", "--all", "--json"]),
  "stop the epic": command(() => ["epic", "stop", EPIC]),
  "stop the pool": command((_, { pick }) => ["auto", pick % 2 === 0 ? "stop" : "drain"]),
  clean: command(() => ["clean", "--json"]),
  recover: command(() => ["recover", "--json"]),
  verify: command((world, step) => ["verify", storyAt(world, step)]),
  "accept and merge": command((world, step) => [
    ...(step.pick % 2 === 0 ? ["accept", storyAt(world, step), "--merge"] : []),
    ...(step.pick % 2 === 0 ? [] : ["merge", storyAt(world, step)]),
  ]),
  "discard a story": discard,
  "list snapshots": command(() => ["keep", "list", "--json"]),
} satisfies Partial<Record<Step["kind"], Act>>;
