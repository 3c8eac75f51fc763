import { execFileSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { killPlaces } from "../support/kill-places.ts";
import { killAtHook, killVariables, type Ended } from "../support/programs.ts";
import { newStage, STORY, type Stage } from "../support/stage.ts";
import { aTask } from "../support/project.ts";
import { expectExit } from "../support/expect-exit.ts";

const BRANCH = `story/${STORY}`;

const atRemote = (stage: Stage, branch: string): string =>
  stage.git("ls-remote", "origin", `refs/heads/${branch}`).slice(0, 40);

/** Merged at the remote, which still has the story's branch, because it refused to delete it. */
async function newMergedStage(): Promise<Stage> {
  const stage = await newStage({ tasks: [aTask("form")], config: '[git]\npush = "always"\n' });
  stage.git("init", "--quiet", "--bare", "--initial-branch=main", "../remote.git");
  stage.git("remote", "add", "origin", "../remote.git");
  stage.git("push", "--quiet", "--set-upstream", "origin", "main");
  await expectExit(0, stage.work());
  stage.git("-C", "../remote.git", "config", "receive.denyDeletes", "true");
  expect((await stage.run("merge", STORY)).exitCode).toBe(0);
  stage.git("-C", "../remote.git", "config", "receive.denyDeletes", "false");
  return stage;
}

const killed = (stage: Stage, killAt: number, countIn = "/dev/null"): Promise<Ended> =>
  stage.runWith(
    { node: ["--require", killAtHook], env: killVariables(killAt, countIn) },
    "merge",
    STORY,
  );

it("the deletion of a merged branch at the remote that is killed at any effect is done by the next command, and takes nothing else", async () => {
  const stage = await newMergedStage();
  const home = dirname(stage.path);
  const backup = `${home}.backup`;
  onTestFinished(() => rmSync(backup, { recursive: true, force: true }));
  execFileSync("cp", ["-a", home, backup]);
  const putBack = (): void => {
    for (const folder of ["project", "remote.git"]) {
      rmSync(join(home, folder), { recursive: true });
      execFileSync("cp", ["-a", join(backup, folder), join(home, folder)]);
    }
  };
  const [tip, main] = [atRemote(stage, BRANCH), atRemote(stage, "main")];
  expect(tip).toMatch(/^[0-9a-f]{40}$/);
  const countFile = join(home, "effects");
  await expectExit(0, killed(stage, 0, countFile));
  expect(atRemote(stage, BRANCH)).toBe("");
  const effects = Number(readFileSync(countFile, "utf8"));
  expect(effects).toBeGreaterThan(8);

  const places = killPlaces(effects, 4);
  let kills = 0;
  for (const killAt of places) {
    putBack();
    const says = `killed at effect ${killAt}`;
    if ((await killed(stage, killAt)).signal === "SIGKILL") kills++;
    expect(["", tip], says).toContain(atRemote(stage, BRANCH));
    await expectExit(0, stage.run("merge", STORY));
    expect([atRemote(stage, BRANCH), atRemote(stage, "main")], says).toEqual(["", main]);
    expect(stage.git("branch", "--all", "--list", "*story/*"), says).toBe("");
    expect(stage.git("rev-list", `refs/saga/merged/${STORY}`), says).toContain(tip);
    expect((await stage.run("clean")).stdout, says).toBe("Nothing to clean.\n");
  }
  expect(kills).toBeGreaterThanOrEqual(places.length - 2);
});
