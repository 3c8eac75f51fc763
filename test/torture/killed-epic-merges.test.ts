import { execFileSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { awaitsMerge, commitOnMain, deliveredEpic } from "../support/delivered-epic.ts";
import { leftBehind } from "../support/delivery.ts";
import { killPlaces } from "../support/kill-places.ts";
import { builtSaga, killAtHook, killVariables, runNode, type Ended } from "../support/programs.ts";
import type { TestRepository } from "../support/repository.ts";

/** Where the target is: free, at the remote, or checked out by the person who merges. */
type Place = "here" | "remote" | "checked out";

interface Stage {
  readonly test: TestRepository;
  readonly place: Place;
  /** Where it is put back from, at the same place: git's files name it. */
  readonly backup: string;
  readonly old: string;
}

/** Of each, with room for changes to the code. */
const LEAST_EFFECTS = 60;

it.each<Place>(["here", "remote", "checked out"])(
  "an epic's merge that is killed at any effect has updated the target to the whole epic, or not at all: %s",
  async (place) => {
    const stage = newStage(place);
    const { commit, effects } = await mergeOnce(stage);
    expect(effects).toBeGreaterThanOrEqual(LEAST_EFFECTS);
    const places = killPlaces(effects, 3);
    const errors: string[] = [];
    let kills = 0;
    for (const killAt of places) {
      try {
        if (await killAndRepeat(stage, killAt, commit)) kills++;
      } catch (error) {
        errors.push(`killed at effect ${killAt}: ${String(error)}`);
      }
    }
    expect(errors).toEqual([]);
    // The number of effects differs by one or two from run to run.
    expect(kills).toBeGreaterThanOrEqual(places.length - 2);
  },
);

function newStage(place: Place): Stage {
  const test = deliveredEpic({ isRemote: place === "remote" });
  if (place === "remote") {
    test.write(".saga/config.toml", '[git]\npush = "always"\n');
    test.git("commit", "--quiet", "--all", "--message=Push");
  }
  commitOnMain(test, "other.txt", "other\n");
  if (place === "remote") test.git("push", "--quiet", "origin", "main");
  if (place === "here") test.git("switch", "--quiet", "--detach");
  const home = dirname(test.path);
  const backup = `${home}.backup`;
  onTestFinished(() => rmSync(backup, { recursive: true }));
  execFileSync("cp", ["-a", home, backup]);
  const stage = { test, place, backup, old: "" };
  return { ...stage, old: target(stage) };
}

function putBack({ test, backup }: Stage): void {
  const home = dirname(test.path);
  rmSync(home, { recursive: true });
  execFileSync("cp", ["-a", backup, home]);
}

const target = ({ test, place }: Pick<Stage, "test" | "place">): string =>
  place === "remote"
    ? test.gitIn(join(dirname(test.path), "origin.git"), "rev-parse", "main")
    : test.git("rev-parse", "main");

const MERGE = ["merge", "shop", "--update-checkout", "--json"];

const killed = ({ test }: Stage, killAt: number): Promise<Ended> =>
  runNode(["--require", killAtHook, builtSaga, ...MERGE], {
    cwd: test.path,
    // How bytes get into a file is tried with stories.
    env: { ...test.env, ...killVariables(killAt, join(dirname(test.path), "effects")) },
  });

/** The result without a kill, and the number of effects. */
async function mergeOnce(stage: Stage) {
  const ended = await killed(stage, 0);
  expect(ended.exitCode, ended.stdout + ended.stderr).toBe(0);
  const { commit } = JSON.parse(ended.stdout) as { commit: string };
  await expectMerged(stage, commit);
  const effects = Number(readFileSync(join(dirname(stage.test.path), "effects"), "utf8"));
  return { commit, effects };
}

async function killAndRepeat(stage: Stage, killAt: number, wanted: string): Promise<boolean> {
  putBack(stage);
  const { test, old } = stage;
  const { signal } = await killed(stage, killAt);
  expect([old, wanted]).toContain(target(stage));
  const again = await test.sagaWithEnv(test.env, ...MERGE);
  expect(again.exitCode, again.stdout + again.stderr).toBe(0);
  expect(again.json()).toMatchObject({ kind: "merged", into: "main", warnings: [] });
  await expectMerged(stage, wanted);
  return signal === "SIGKILL";
}

async function expectMerged(stage: Stage, commit: string): Promise<void> {
  const { test, place } = stage;
  expect(target(stage)).toBe(commit);
  expect(test.git("ls-tree", "--name-only", commit).split("\n")).toEqual(
    expect.arrayContaining(["cart.txt", "other.txt", "pay.txt"]),
  );
  expect(test.git("status", "--porcelain")).toBe("");
  if (place === "checked out") expect(test.git("rev-parse", "HEAD")).toBe(commit);
  expect(test.git("worktree", "list").split("\n")).toHaveLength(1);
  expect(leftBehind(test)).toEqual([]);
  expect(await awaitsMerge(test)).toBe(false);
}
