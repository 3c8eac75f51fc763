import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { expect, it } from "vitest";
import { openStore } from "../../src/store/file-store.ts";
import { aStory, anEpic, newProject } from "../support/project.ts";
import { isTorture } from "../support/kill-places.ts";
import { bundle, runNode } from "../support/programs.ts";
import { seeded } from "../support/seeded.ts";

const chance = seeded();

const LEASES = 60;
const CLAIMERS = 8;
const ROUNDS = isTorture ? 12 : 6;

it("gives each of a dead owner's leases to exactly one of eight processes that try to take all of them", async () => {
  const project = newProject();
  const claimer = await bundle("test/support/processes/claimer.ts");

  const dead = await claimAll(claimer, project.path, 1);
  expect(dead.flat()).toHaveLength(LEASES);

  for (let round = 0; round < 3; round++) {
    const won = await claimAll(claimer, project.path, CLAIMERS);
    expect(won.flat().toSorted((one, other) => one - other)).toEqual(
      Array.from({ length: LEASES }, (_, at) => at),
    );
  }
});

/** All claimers stay alive until the last one has answered; then they die, leases in hand. */
async function claimAll(claimer: string, project: string, claimers: number): Promise<number[][]> {
  const children = Array.from({ length: claimers }, () =>
    spawn(process.execPath, [claimer, project, String(LEASES)], {
      stdio: ["pipe", "pipe", "inherit"],
    }),
  );
  const answers = await Promise.all(
    children.map(async ({ stdout }) => {
      const [line] = (await once(createInterface({ input: stdout }), "line")) as [string];
      return JSON.parse(line) as number[];
    }),
  );
  await Promise.all(
    children.map(async (child) => {
      const ended = once(child, "close");
      child.kill("SIGKILL");
      await ended;
    }),
  );
  return answers;
}

it("loses no update when four processes write to the same story", async () => {
  const project = newProject();
  project.write(".saga/stories/one/story.json", aStory("one", { count: 0, mine: ["kept"] }));
  const writer = await bundle("test/support/processes/writer.ts");
  const ended = await Promise.all(
    Array.from({ length: 4 }, () =>
      runNode([writer, project.path, "one", "50"], { cwd: project.path }),
    ),
  );
  expect(ended.map(({ exitCode, stderr }) => [exitCode, stderr])).toEqual(ended.map(() => [0, ""]));
  expect(project.json(".saga/stories/one/story.json")).toMatchObject({
    count: 200,
    mine: ["kept"],
  });
});

it("loses no acknowledged update when writers are killed at random moments", async () => {
  const project = newProject();
  project.write(".saga/stories/one/story.json", aStory("one", { count: 0 }));
  const writer = await bundle("test/support/processes/writer.ts");
  let acknowledged = 0;
  let killed = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const ended = await Promise.all(
      [0, 1, 2].map(() =>
        runNode([writer, project.path, "one", "1000"], {
          cwd: project.path,
          onStart: (child) => {
            // Killed while it writes: the first update is the sign that it has begun.
            child.stdout?.once("data", () =>
              setTimeout(() => child.kill("SIGKILL"), chance.below(40)),
            );
          },
        }),
      ),
    );
    acknowledged += ended.reduce((sum, { stdout }) => sum + stdout.length, 0);
    killed += ended.filter(({ signal }) => signal === "SIGKILL").length;
    const { count } = project.json(".saga/stories/one/story.json");
    // Each kill may have cut off one acknowledgement, never an update.
    expect(count).toBeGreaterThanOrEqual(acknowledged);
    expect(count).toBeLessThanOrEqual(acknowledged + killed);
  }
  expect(killed).toBeGreaterThan(1.5 * ROUNDS);
});

it("never shows a reader half of another process's change", async () => {
  const project = newProject();
  project.write(".saga/epics/all/epic.json", anEpic("all", []));
  const stager = await bundle("test/support/processes/stager.ts");
  const child = spawn(process.execPath, [stager, project.path], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = once(child, "close");
  const store = openStore(project.path);
  // It runs until its input ends, so that there is always something to see half of.
  const counts = { staged: 0 };
  child.stdout.on("data", (plus: Buffer) => {
    counts.staged += plus.length;
  });
  await once(child.stdout, "data");
  // Stories 0 and 3 are archived: on a slow machine 25 looks may be over before the second.
  for (let looks = 0; looks < 25 || counts.staged < 5; looks++) {
    expect((await store.validate()).problems).toEqual([]);
  }
  child.stdin.end();
  expect(await ended).toEqual([0, null]);
  expect((await store.overview()).archived.size).toBeGreaterThan(1);
});
