import { existsSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { everythingIn, leftInFlight, type InFlightStage } from "../support/in-flight.ts";
import { builtSaga, killAtHook, runNode, type Ended } from "../support/programs.ts";
import { STORY } from "../support/repository.ts";

/** Each takes over a second on two cores; between two calls of git every place is tried elsewhere. */
const KILLS = 24;

const discard = (stage: InFlightStage, killAt: number, countIn: string): Promise<Ended> =>
  runNode(["--require", killAtHook, builtSaga, "discard", STORY, "--yes", "--json"], {
    cwd: stage.path,
    env: {
      ...(stage.env as NodeJS.ProcessEnv),
      KILL_COARSELY: "1",
      KILL_AT: String(killAt),
      COUNT_EFFECTS: countIn,
    },
  });

const places = Array.from({ length: KILLS }, (_, nth) => nth);
let effects = 0;
let killed = 0;

it("has enough effects to be killed at", async () => {
  const first = await leftInFlight();
  const countFile = join(dirname(first.path), "effects");
  const whole = await discard(first, 0, countFile);
  expect(whole.exitCode, whole.stderr).toBe(0);
  effects = Number(readFileSync(countFile, "utf8"));
  expect(effects).toBeGreaterThan(50);
});

it.each(places)("loses nothing and has the same result, killed at effect %i", async (nth) => {
  const { signal, again } = await killAndRepeat(1 + Math.floor((nth * effects) / KILLS));
  expect(again.exitCode).toBe(0);
  if (signal === "SIGKILL") killed++;
});

it("was killed at nearly every effect", () => {
  expect(killed).toBeGreaterThanOrEqual(KILLS - 2);
});

/** How it was ended, and what it said when it was asked once more. */
async function killAndRepeat(killAt: number) {
  const stage = await leftInFlight();
  const says = `killed at effect ${killAt}`;
  const before = everythingIn(stage, stage.folder);
  const { signal } = await discard(stage, killAt, "/dev/null");

  const again = await stage.saga("discard", STORY, "--yes", "--json");
  expect(again.exitCode, `${says}: ${again.stdout}`).toBe(0);
  expect(existsSync(stage.folder), says).toBe(false);
  expect(readdirSync(dirname(stage.folder)), says).toEqual([]);
  expect(stage.git("branch", "--list", "story/*"), says).toBe("");
  expect(await stage.forge.find(`story/${STORY}`), says).toMatchObject({ state: "closed" });
  const { state, record } = await stage.store.viewStory(STORY);
  expect(state, says).toBe("ready");
  expect(record.journal?.split("was discarded").length, says).toBe(2);
  expect(stage.git("worktree", "list", "--porcelain"), says).not.toContain(STORY);

  const restored = await stage.saga("keep", "restore", STORY, String(again.json()["snapshot"]));
  expect(restored.exitCode, `${says}: ${restored.stderr}`).toBe(0);
  expect(everythingIn(stage, stage.folder), says).toEqual(before);
  rmSync(dirname(stage.path), { recursive: true, force: true });
  return { signal, again };
}
