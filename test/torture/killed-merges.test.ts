import { execFileSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { killPlaces } from "../support/kill-places.ts";
import {
  BRANCH,
  leftBehind,
  lines,
  newDelivery,
  stateOf,
  type Delivery,
} from "../support/delivery.ts";
import { STORY } from "../support/repository.ts";
import { bundle, killAtHook, runNode, type Ended } from "../support/programs.ts";

type Place = "here" | "remote" | "checked out";

/** Two cores: one copies while the other waits for git. */
const AT_ONCE = 3;

const OWN = `.saga/stories/${STORY}`;
const MINE = '{"title": "As the person wants it"}\n';

interface Stage {
  readonly delivery: Delivery;
  /** Where it is put back from, at the same place: worktrees know theirs. */
  readonly backup: string;
  readonly old: string;
  readonly tip: string;
  readonly checkout: string;
  /** Checkouts that must not change. */
  readonly untouched: readonly string[];
}

it.each<[Place, atLeast: number]>([
  ["here", 70],
  // Up to the verification they are all the same.
  ["remote", 20],
  ["checked out", 20],
])(
  "a merge that is killed at any effect has updated the target to the verified commit, or not at all: %s",
  async (place, atLeast) => {
    const deliverer = await bundle("test/support/processes/deliverer.ts");
    const stages = await Promise.all(Array.from({ length: AT_ONCE }, () => newStage(place)));
    const left: number[] = [];
    const errors: string[] = [];
    let kills = 0;
    // The last first.
    const killOneAfterTheOther = async (stage: Stage, wanted: string): Promise<void> => {
      for (let killAt = left.pop(); killAt !== undefined; killAt = left.pop()) {
        try {
          const { isKilled, isVerified } = await killAndRepeat(stage, {
            place,
            deliverer,
            killAt,
            wanted,
          });
          if (isKilled) kills++;
          if (!isVerified && place !== "here") left.length = 0;
        } catch (error) {
          errors.push(`killed at effect ${killAt}: ${String(error)}`);
        }
      }
    };
    const wanted = await Promise.all(stages.map((stage) => expectedOf(stage, place, deliverer)));
    const all = Math.max(...wanted.map(({ effects }) => effects));
    left.push(...killPlaces(all, 4));
    const share = left.length / all;
    await Promise.all(
      stages.map((stage, at) => killOneAfterTheOther(stage, wanted[at]?.commit ?? "")),
    );
    expect(errors).toEqual([]);
    expect(kills).toBeGreaterThan(Math.floor(atLeast * share) - 1);
  },
);

async function newStage(place: Place): Promise<Stage> {
  const delivery = await newDelivery({ isRemote: place === "remote" });
  const { test } = delivery;
  delivery.work({ "shared.txt": lines({ 3: "three" }) }, "One");
  delivery.work({ "new.txt": "new\n" }, "Two");
  delivery.meanwhile({ "shared.txt": lines({ 20: "twenty" }) });
  const home = dirname(test.path);
  const checkout = join(home, "person's");
  if (place === "checked out") {
    test.git("worktree", "add", "--quiet", checkout, "trunk");
    // The story is not committed there, and a person has changed it.
    mkdirSync(join(checkout, OWN), { recursive: true });
    writeFileSync(join(checkout, OWN, "story.json"), MINE);
    copyFileSync(join(delivery.folder, OWN, "form.json"), join(checkout, OWN, "form.json"));
  }
  const backup = `${home}.backup`;
  onTestFinished(() => rmSync(backup, { recursive: true }));
  execFileSync("cp", ["-a", home, backup]);
  const untouched = [test.path, delivery.folder].map((folder) => stateOf(test, folder));
  const tip = test.git("rev-parse", BRANCH);
  return { delivery, backup, old: delivery.target(), tip, checkout, untouched };
}

function putBack({ delivery, backup }: Stage): void {
  const home = dirname(delivery.test.path);
  rmSync(home, { recursive: true });
  execFileSync("cp", ["-a", backup, home]);
}

const killed = (
  { delivery: { test } }: Stage,
  { place, deliverer, killAt }: { place: Place; deliverer: string; killAt: number },
): Promise<Ended> => {
  const where = place === "remote" ? "remote" : "here";
  const words = [test.path, BRANCH, "trunk", where, join(dirname(test.path), "verified")];
  return runNode(["--require", killAtHook, deliverer, ...words], {
    cwd: test.path,
    env: {
      ...test.env,
      KILL_AT: String(killAt),
      COUNT_EFFECTS: join(dirname(test.path), "effects"),
    },
  });
};

/** The result without a kill, and the number of effects. */
async function expectedOf(stage: Stage, place: Place, deliverer: string) {
  const ended = await killed(stage, { place, deliverer, killAt: 0 });
  expect(ended.stderr).toBe("");
  const { kind, commit } = JSON.parse(ended.stdout) as { kind: string; commit: string };
  expect(kind).toBe("merged");
  expect(commit).toBe(stage.delivery.target());
  expect(leftBehind(stage.delivery.test)).toEqual([]);
  const effects = Number(readFileSync(join(dirname(stage.delivery.test.path), "effects"), "utf8"));
  return { commit, effects };
}

async function killAndRepeat(
  stage: Stage,
  plan: { place: Place; deliverer: string; killAt: number; wanted: string },
): Promise<{ readonly isKilled: boolean; readonly isVerified: boolean }> {
  putBack(stage);
  const { delivery, old, tip, checkout } = stage;
  const { test, folder } = delivery;
  const ended = await killed(stage, plan);
  const log = join(dirname(test.path), "verified");
  const verified = existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : [];
  expect([old, ...verified]).toContain(delivery.target());

  expect(await delivery.deliver({ updateCheckouts: true })).toEqual({
    kind: "merged",
    commit: plan.wanted,
    was: old,
  });
  expect(delivery.target()).toBe(plan.wanted);
  expect(leftBehind(test)).toEqual([]);
  // The story's branch too: its worktree has it checked out.
  expect([stateOf(test, test.path), stateOf(test, folder)]).toEqual(stage.untouched);
  expect(test.git("rev-list", `refs/saga/merged/${STORY}`).split("\n")).toContain(tip);
  // A checkout of the target is complete.
  const at = plan.place === "checked out" ? checkout : folder;
  expect(test.gitIn(at, "status", "--porcelain")).toBe("");
  expect(ownFiles(stage)).toEqual(
    plan.place === "checked out"
      ? { there: ["form.json", "story.json"], kept: [MINE.trimEnd()] }
      : { there: [], kept: [] },
  );
  return { isKilled: ended.signal === "SIGKILL", isVerified: verified.length > 0 };
}

/** What a person's checkout has of the story, and what was kept of theirs. */
function ownFiles({ checkout, delivery: { test } }: Stage) {
  const refs = test.git("for-each-ref", "--format=%(refname)", "refs/saga/keep").split("\n");
  const kept = refs.filter((ref) => ref !== "");
  const folder = join(checkout, OWN);
  return {
    there: existsSync(folder) ? readdirSync(folder).toSorted() : [],
    kept: kept.map((ref) => test.git("show", `${ref}:${OWN}/story.json`)),
  };
}
