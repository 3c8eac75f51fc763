import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openLocalForge } from "../../src/machine/forge/forge-local.ts";
import { isTorture, killPlaces } from "../support/kill-places.ts";
import { killAtHook, killVariables } from "../support/programs.ts";
import { expectNothingLeft, newStage, STORY, type Stage } from "../support/stage.ts";

/** Two cores: one starts while the other waits for its agent. */
const AT_ONCE = 3;

const workKilled = (stage: Stage, killAt: number, countIn: string) =>
  stage.runWith(
    { node: ["--require", killAtHook], env: killVariables(killAt, countIn) },
    "worker",
    STORY,
  );

it("has the same result wherever a worker was killed: at each of its effects", async () => {
  const first = await newStage();
  const countFile = join(first.home, "effects");
  const whole = await workKilled(first, 0, countFile);
  expect(whole.exitCode, whole.stdout).toBe(0);
  const effects = Number(readFileSync(countFile, "utf8"));
  expect(effects).toBeGreaterThan(60);

  const left = killPlaces(effects, 4);
  const survived: number[] = [];
  const errors: string[] = [];
  const killOneAfterTheOther = async (): Promise<void> => {
    for (let killAt = left.shift(); killAt !== undefined; killAt = left.shift()) {
      try {
        if (!(await killAndRepeat(killAt))) survived.push(killAt);
      } catch (error) {
        errors.push(`killed at effect ${killAt}: ${String(error)}`);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, killOneAfterTheOther));
  expect(errors).toEqual([]);
  // The number differs by a few from run to run, with how the agent's messages arrive.
  expect(survived.filter((killAt) => killAt < effects - 10)).toEqual([]);
});

it("has the same result when the worker that takes over is killed too", async () => {
  // Two kills far apart, close together, and in between.
  const pairs = [3, 17, 29, 41, 53, 64, 71, 80].map((first, at) => [first, 5 + at * 11] as const);
  const left = isTorture ? pairs : pairs.slice(3, 4);
  const killOneAfterTheOther = async (): Promise<void> => {
    for (let pair = left.shift(); pair !== undefined; pair = left.shift()) {
      await killAndRepeat(pair[0], pair[1]);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, killOneAfterTheOther));
  expect(left).toEqual([]);
});

/** Whether it was killed at all. */
async function killAndRepeat(killAt: number, thenAt?: number): Promise<boolean> {
  const stage = await newStage();
  const killed = await workKilled(stage, killAt, join(stage.home, "effects"));
  const says = `killed at effect ${killAt}${thenAt === undefined ? "" : `, then at ${thenAt}`}`;
  if (thenAt !== undefined) await workKilled(stage, thenAt, join(stage.home, "effects"));

  const again = await stage.run("worker", STORY);
  expect(again.exitCode, `${says}\n${killed.stdout}\n---\n${again.stdout}${again.stderr}`).toBe(0);
  expect(await stage.statuses(), says).toEqual({ form: "completed", page: "completed" });
  expect(stage.commits(), says).toEqual(["form", "page"]);
  for (const file of ["form", "page"]) {
    const content = stage.git("show", `story/${STORY}:rehearsal/${file}.md`);
    expect(content, says).toBe(`The rehearsal of ${file} was here.`);
  }
  const forge = openLocalForge(join(stage.path, ".git/saga/pulls"), Date.now);
  expect(await forge.find(`story/${STORY}`), says).toMatchObject({ number: 1, isDraft: false });
  expect(await forge.view(2), says).toBeUndefined();
  expect(stage.git("-C", stage.worktree, "status", "--porcelain"), says).toBe("");
  expect((await stage.run("validate")).exitCode, says).toBe(0);
  await expectNothingLeft(stage);
  expect(stage.processes(), says).toEqual([]);
  await stage.model.close();
  rmSync(join(stage.path, ".."), { recursive: true, force: true });
  return killed.signal === "SIGKILL";
}
