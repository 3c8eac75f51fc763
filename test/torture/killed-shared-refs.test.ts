import { execFileSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { Clone } from "../support/clones.ts";
import { newFleetProject, type FleetProject } from "../support/fleet-project.ts";
import { shareCart } from "../support/shared-cart.ts";
import { killPlaces } from "../support/kill-places.ts";
import { usePostgres } from "../support/postgres.ts";
import { builtSaga, killAtHook, killVariables, runNode, type Ended } from "../support/programs.ts";

const postgres = usePostgres();
const BRANCH = "refs/heads/story/cart";
const LEASE = "refs/saga/lease/cart";
const KEPT = "refs/saga/keep/cart/1-ann-1";

const killed = (
  { envOf }: FleetProject,
  clone: Clone,
  { killAt, countIn = "/dev/null" }: { readonly killAt: number; readonly countIn?: string },
  ...words: string[]
): Promise<Ended> =>
  runNode(["--require", killAtHook, builtSaga, ...words], {
    cwd: clone.path,
    env: { ...(envOf(clone) as NodeJS.ProcessEnv), ...killVariables(killAt, countIn) },
  });

/** Programs of their own, because the folders are replaced in between. */
async function run(project: FleetProject, clone: Clone, ...words: string[]): Promise<Ended> {
  const ended = await killed(project, clone, { killAt: 0 }, ...words);
  if (ended.exitCode !== 0) throw new Error(`${words.join(" ")}: ${ended.stderr}`);
  return ended;
}

const json = async (...given: Parameters<typeof run>): Promise<unknown> =>
  JSON.parse((await run(...given, "--json")).stdout);

interface Loop {
  readonly clone: Clone;
  readonly words: readonly string[];
  readonly few: number;
  /** Before each run. */
  readonly prepare?: () => Promise<unknown>;
  readonly check: (says: string) => Promise<void>;
}

/**
 * Runs a command to its end, and then from the same start with a kill at each effect. Returns how many times it was not
 * killed: what it does differs a little from run to run.
 */
async function killEverywhere(
  project: FleetProject,
  { clone, words, few, prepare, check }: Loop,
): Promise<number> {
  const places = [dirname(project.ann.path), dirname(project.bob.path)];
  const backups = places.map((folder) => `${folder}.backup`);
  onTestFinished(() => backups.forEach((path) => rmSync(path, { recursive: true, force: true })));
  for (const [at, folder] of places.entries()) {
    execFileSync("cp", ["-a", folder, backups[at] ?? ""]);
  }
  const putBack = (): void => {
    for (const [at, folder] of places.entries()) {
      rmSync(folder, { recursive: true });
      execFileSync("cp", ["-a", backups[at] ?? "", folder]);
    }
  };
  await prepare?.();
  const countIn = join(dirname(clone.path), "effects");
  const whole = await killed(project, clone, { killAt: 0, countIn }, ...words);
  expect(whole.exitCode, whole.stderr).toBe(0);
  const effects = Number(readFileSync(countIn, "utf8"));
  await check("not killed");
  let kills = 0;
  const at = killPlaces(effects, few);
  for (const killAt of at) {
    putBack();
    await prepare?.();
    if ((await killed(project, clone, { killAt }, ...words)).signal === "SIGKILL") kills++;
    await check(`${words.join(" ")} killed at effect ${killAt} of ${effects}`);
  }
  return at.length - kills;
}

const has = (clone: Clone, commit: string): boolean =>
  clone.git("for-each-ref", "--contains", commit, "--format=%(refname)") !== "";

it("the deletion of a landed story's refs at the remote that is killed at any effect is done by the next clean-up, and loses no snapshot", async () => {
  const project = await newFleetProject(await postgres());
  const { ann, bob, remoteRefs } = project;
  const { half } = await shareCart(project);
  ann.git("merge", "--quiet", "--squash", "story/cart");
  ann.git("commit", "--quiet", "--message=land cart");
  ann.git("push", "--quiet", "origin", "main");
  const main = ann.git("rev-parse", "main");
  const survived = await killEverywhere(project, {
    clone: bob,
    words: ["clean"],
    few: 2,
    async check(says) {
      const refs = Object.keys(remoteRefs()).filter((ref) => ref.includes("cart"));
      // All of them or none, and the snapshot is saved before.
      expect([0, 3], says).toContain(refs.length);
      expect(refs.length > 0 || has(bob, half), says).toBe(true);
      const synced = await json(project, bob, "fleet", "sync");
      expect(synced, says).toMatchObject({ left: [] });
      expect(
        Object.keys(remoteRefs()).filter((ref) => ref.includes("cart")),
        says,
      ).toEqual([]);
      expect(has(bob, half), says).toBe(true);
      expect(remoteRefs()["refs/heads/main"], says).toBe(main);
      expect(await json(project, bob, "clean"), says).toMatchObject({ left: [] });
      expect(await json(project, bob, "clean"), says).toMatchObject({ removed: [] });
    },
  });
  expect(survived).toBeLessThanOrEqual(2);
});

it("a discard in a fleet that is killed at any effect is done by the next one, on all machines, and loses nothing", async () => {
  const project = await newFleetProject(await postgres());
  const { ann, bob, remoteRefs } = project;
  const { tip, half } = await shareCart(project);
  // The engine has seen the fence of ann's work.
  await run(project, ann, "fleet", "sync");
  const survived = await killEverywhere(project, {
    clone: bob,
    words: ["discard", "cart", "--yes"],
    few: 2,
    prepare: () => run(project, ann, "epic", "run", "shop", "--fleet", "--detach"),
    async check(says) {
      const before = Object.keys(remoteRefs()).filter((ref) => ref.includes("cart"));
      // All of it or nothing, and everything is saved before.
      expect([[LEASE], [BRANCH, KEPT, LEASE]], says).toContainEqual(before.toSorted());
      expect(before.length > 1 || (has(bob, tip) && has(bob, half)), says).toBe(true);
      await run(project, bob, "discard", "cart", "--yes");
      for (const clone of [bob, ann]) {
        expect(await json(project, clone, "fleet", "status"), says).toMatchObject({
          stories: expect.arrayContaining([
            expect.objectContaining({ story: "cart", queue: "parked" }),
          ]) as unknown,
        });
        expect(await json(project, clone, "show", "cart"), says).toMatchObject({ state: "ready" });
        expect(clone.git("branch", "--all", "--list", "*story/*"), says).toBe("");
        expect(has(clone, tip), says).toBe(true);
      }
      expect(has(bob, half), says).toBe(true);
    },
  });
  expect(survived).toBeLessThanOrEqual(2);
});
