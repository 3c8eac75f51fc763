import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { newFleetLane, REMOTE_MAIN } from "../../test/support/fleet-lane.ts";
import { usePostgres } from "../../test/support/postgres.ts";
import { openStore } from "../store/file-store.ts";

const postgres = usePostgres();
const story = (id: string, file = `${id}.txt`) => ({ id, files: { [file]: `${id}\n` } });

it("lands stories of two machines together, with one run of their checks, and each once", async () => {
  const lane = await newFleetLane(await postgres(), {
    ann: [story("a1"), story("a2")],
    bob: [story("b1"), story("b2")],
  });
  const { ann, bob } = lane.machines;
  for (const [machine, id] of [
    [ann, "a1"],
    [bob, "b1"],
    [ann, "a2"],
    [bob, "b2"],
  ] as const) {
    await machine.enqueue(id);
  }
  const shown = (await bob.saga("queue", "--json")).json() as { lanes: { entries: object[] }[] };
  expect(shown.lanes[0]?.entries).toMatchObject([
    { name: "a1", machine: "ann" },
    { name: "b1", machine: "bob" },
    { name: "a2", machine: "ann" },
    { name: "b2", machine: "bob" },
  ]);

  const run = await ann.saga("queue", "run");
  expect(run.exitCode, run.stderr).toBe(0);
  expect(run.stdout).toContain("b1: merged into main");
  expect(lane.checksRun()).toEqual(["run"]);
  expect(lane.landed()).toEqual(["Do a1", "Do b1", "Do a2", "Do b2"]);
  // What belongs to bob's machine is done there, by the command that asks again.
  expect(existsSync(join(bob.clone.path, ".saga/worktrees/b1"))).toBe(true);
  const merged = await bob.saga("merge", "b1", "--json");
  expect(merged.json(), merged.stderr).toMatchObject({ kind: "merged", into: "main" });
  // Or by the next one that lands what waits.
  expect((await bob.saga("queue", "run")).exitCode).toBe(0);
  for (const id of ["b1", "b2"]) {
    expect(existsSync(join(bob.clone.path, `.saga/worktrees/${id}`)), id).toBe(false);
    expect((await openStore(bob.clone.path).listRuns(id))[0], id).toMatchObject({
      outcome: "merged",
    });
  }
  expect(lane.checksRun()).toEqual(["run"]);
  expect(lane.landed()).toHaveLength(4);
  const left = Object.keys(lane.remoteRefs()).filter((ref) => /story|lease|keep/.test(ref));
  expect(left).toEqual([]);
});

it("leaves what it cannot land to its own machine, which sends it back there", async () => {
  const lane = await newFleetLane(await postgres(), {
    ann: [story("a1", "clash-1-a.txt"), story("a2")],
    bob: [story("b1", "clash-1-b.txt"), story("b2")],
  });
  const { ann, bob } = lane.machines;
  for (const id of ["a1", "a2"]) await ann.enqueue(id);
  for (const id of ["b1", "b2"]) await bob.enqueue(id);
  await ann.saga("queue", "run");
  expect(lane.landed()).toEqual(["Do a1", "Do a2", "Do b2"]);
  expect(await ann.queue.list(REMOTE_MAIN)).toMatchObject([{ name: "b1", isLeft: true }]);
  expect(await openStore(ann.clone.path).viewStory("b1")).toMatchObject({ state: "ready" });

  const sentBack = await bob.saga("merge", "b1", "--json");
  expect(sentBack.json(), sentBack.stderr).toMatchObject({
    kind: "refused",
    taskId: "fix-landing",
  });
  const { tasks, source } = await openStore(bob.clone.path).readStory("b1");
  expect(source).toBe("worktree");
  expect(tasks.map(({ id }) => id)).toEqual(["form", "fix-landing"]);
  expect(await bob.queue.list(REMOTE_MAIN)).toEqual([]);
  expect(lane.landed()).toHaveLength(3);
});
