import { readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { openStore } from "../../src/store/file-store.ts";
import { readPersonsVersions } from "../../src/store/runs/person-edit.ts";
import { killPlaces } from "../support/kill-places.ts";
import { builtSaga, killAtHook, killVariables, runNode, type Ended } from "../support/programs.ts";
import { STORY, type TestRepository } from "../support/repository.ts";
import { withWork } from "../support/story-with-work.ts";

const CHECK = "npm test";
const OWN = `.saga/worktrees/${STORY}/.saga/stories/${STORY}`;

/** A started story, and a person who takes its check away: that has to be known as the person's decision. */
const edit = (test: TestRepository, killAt: number, countIn = "/dev/null"): Promise<Ended> =>
  runNode(["--require", killAtHook, builtSaga, "edit", STORY, "--set", "checks=[]", "--json"], {
    cwd: test.path,
    env: { ...(test.env as NodeJS.ProcessEnv), ...killVariables(killAt, countIn) },
  });

it("an edit of a started story that is killed at any effect wrote all of it or nothing, and has the same result when repeated", async () => {
  const first = await withWork([CHECK]);
  const countFile = join(dirname(first.path), "effects");
  const whole = await edit(first, 0, countFile);
  expect(whole.exitCode, whole.stderr).toBe(0);
  expect(JSON.parse(whole.stdout)).toMatchObject({ isChanged: true, isApproved: true });
  await expectEdited(first, "not killed");
  const effects = Number(readFileSync(countFile, "utf8"));
  expect(effects).toBeGreaterThan(15);

  const places = killPlaces(effects, 4);
  let kills = 0;
  for (const killAt of places) {
    const test = await withWork([CHECK]);
    const says = `killed at effect ${killAt}`;
    const { signal } = await edit(test, killAt);
    if (signal === "SIGKILL") kills++;
    expect([[CHECK], []], says).toContainEqual(checksOf(test));
    const again = await edit(test, 0);
    expect(again.exitCode, `${says}: ${again.stderr}`).toBe(0);
    await expectEdited(test, says);
    rmSync(dirname(test.path), { recursive: true, force: true });
  }
  expect(kills).toBeGreaterThanOrEqual(places.length - 2);
});

const checksOf = (test: TestRepository): unknown => test.json(`${OWN}/story.json`)["checks"];

/** Written, committed on the story's branch, in the journal once, and known as the person's. */
async function expectEdited(test: TestRepository, says: string): Promise<void> {
  const store = openStore(test.path);
  expect(checksOf(test), says).toEqual([]);
  const worktree = join(test.path, ".saga/worktrees", STORY);
  expect(test.gitIn(worktree, "status", "--porcelain", "--", ".saga"), says).toBe("");
  const { journal = "" } = await store.readStory(STORY);
  expect(journal.split("changed what the story asks for").length, says).toBe(2);
  const { edited } = await readPersonsVersions({ store, env: test.env }, STORY);
  expect(edited?.definition.story.checks, says).toEqual([]);
}
