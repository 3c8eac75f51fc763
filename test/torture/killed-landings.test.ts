import { expect, it } from "vitest";
import { isTorture, killPlaces } from "../support/kill-places.ts";
import { newLaneStage, type LaneStage } from "../support/lane-stage.ts";

/** What people do after a kill: the same commands again. */
async function repeat(stage: LaneStage): Promise<void> {
  await stage.saga(0, "queue", "run");
  await Promise.all(stage.ids.map((id) => stage.saga(0, "merge", id)));
}

it("a lander that is killed at any effect leaves a lane that the next one lands, each story once", async () => {
  const stage = await newLaneStage();
  const whole = await stage.saga(0, "queue", "run");
  // One of them was sent back.
  expect(whole.exitCode, whole.stderr).toBe(1);
  await stage.expectAllLanded("without a kill");
  expect(whole.effects).toBeGreaterThan(150);

  const places = killPlaces(whole.effects, 3);
  let kills = 0;
  for (const killAt of places) {
    stage.putBack();
    const { signal } = await stage.saga(killAt, "queue", "run");
    if (signal === "SIGKILL") kills++;
    await repeat(stage);
    await stage.expectAllLanded(`killed at effect ${killAt}`);
  }
  expect(kills).toBeGreaterThanOrEqual(places.length - 2);
});

it("a merge that is killed at any effect, from its entry in the lane on, is done by the next one", async () => {
  const stage = await newLaneStage({ queued: false });
  const whole = await stage.saga(0, "merge", "one");
  expect(whole.exitCode, whole.stderr).toBe(0);
  const places = killPlaces(whole.effects, 2);
  for (const killAt of places) {
    stage.putBack();
    await stage.saga(killAt, "merge", "one");
    await repeat(stage);
    await stage.expectAllLanded(`killed at effect ${killAt}`);
  }
});

it.each(isTorture ? [1, 2, 3] : [2])(
  "merges at once, of which one is killed at any effect, land each story once (queue.parallel = %i)",
  async (parallel) => {
    const config = `[queue]\nbatch = 2\nparallel = ${parallel}\n`;
    const stage = await newLaneStage({ queued: false, config });
    const mergeAll = (killAt: number) =>
      Promise.all(stage.ids.map((id) => stage.saga(id === "other" ? killAt : 0, "merge", id)));
    const whole = await mergeAll(0);
    const other = whole[stage.ids.indexOf("other")];
    await stage.expectAllLanded("without a kill");
    // Whichever of them lands; the others only enter the lane and leave it.
    expect(Math.max(...whole.map(({ effects }) => effects))).toBeGreaterThan(100);
    expect(other?.effects).toBeGreaterThan(8);
    for (const killAt of killPlaces(other?.effects ?? 0, 2)) {
      stage.putBack();
      await mergeAll(killAt);
      await repeat(stage);
      await stage.expectAllLanded(`killed at effect ${killAt}`);
    }
  },
);
