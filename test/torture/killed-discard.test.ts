import { existsSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { everythingIn, leftInFlight, type InFlightStage } from "../support/in-flight.ts";
import { killPlaces } from "../support/kill-places.ts";
import { builtSaga, killAtHook, runNode, type Ended } from "../support/programs.ts";
import { STORY } from "../support/repository.ts";
import { expectExit } from "../support/expect-exit.ts";

const discard = (stage: InFlightStage, killAt: number, countIn: string): Promise<Ended> =>
  runNode(["--require", killAtHook, builtSaga, "discard", STORY, "--yes", "--json"], {
    cwd: stage.path,
    env: {
      ...(stage.env as NodeJS.ProcessEnv),
      KILL_AT: String(killAt),
      COUNT_EFFECTS: countIn,
    },
  });

it("a discard that is killed at any effect loses nothing and has the same result", async () => {
  const first = await leftInFlight();
  const countFile = join(dirname(first.path), "effects");
  await expectExit(0, discard(first, 0, countFile));
  const effects = Number(readFileSync(countFile, "utf8"));
  expect(effects).toBeGreaterThan(50);

  const places = killPlaces(effects, 4);
  let kills = 0;
  for (const killAt of places) if (await killAndRepeat(killAt)) kills++;
  expect(kills).toBeGreaterThanOrEqual(places.length - 2);
});

/** Whether it was killed at all. */
async function killAndRepeat(killAt: number): Promise<boolean> {
  const stage = await leftInFlight();
  const says = `killed at effect ${killAt}`;
  const before = everythingIn(stage, stage.folder);
  const { signal } = await discard(stage, killAt, "/dev/null");

  const again = await expectExit(0, stage.saga("discard", STORY, "--yes", "--json"));
  expect(existsSync(stage.folder), says).toBe(false);
  expect(readdirSync(dirname(stage.folder)), says).toEqual([]);
  expect(stage.git("branch", "--list", "story/*"), says).toBe("");
  expect(await stage.forge.find(`story/${STORY}`), says).toMatchObject({ state: "closed" });
  const { state, record } = await stage.store.viewStory(STORY);
  expect(state, says).toBe("ready");
  expect(record.journal?.split("was discarded").length, says).toBe(2);
  expect(stage.git("worktree", "list", "--porcelain"), says).not.toContain(STORY);

  await expectExit(0, stage.saga("keep", "restore", STORY, String(again.json()["snapshot"])));
  expect(everythingIn(stage, stage.folder), says).toEqual(before);
  rmSync(dirname(stage.path), { recursive: true, force: true });
  return signal === "SIGKILL";
}
