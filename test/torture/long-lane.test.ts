import { expect, it } from "vitest";
import { openStore } from "../../src/store/file-store.ts";
import type { Lane } from "../../src/story/landing/entry.ts";
import { isTorture } from "../support/kill-places.ts";
import { builtSaga, runNode } from "../support/programs.ts";
import { readyStories, separate } from "../support/ready-stories.ts";

const MAIN: Lane = { branch: "main", place: "here" };
const COUNT = 200;
const BATCH = 8;

// Only to make the stories ready takes minutes.
it.runIf(isTorture)(
  "a lane with 200 stories and two landers at once lands each story once, with one run of the checks for a batch",
  async () => {
    const stories = separate(COUNT);
    const { test, checksRun } = await readyStories(stories);
    const { queue } = openStore(test.path);
    for (const { id: name } of stories) {
      const story = { kind: "story", name, lane: MAIN, priority: 3, by: "saga merge" } as const;
      await queue.enqueue({ ...story, after: [], checks: ["sh check.sh"], updateCheckouts: true });
    }
    const start = test.git("rev-parse", "main");
    const env = { PATH: process.env["PATH"], HOME: test.path };
    const run = () => runNode([builtSaga, "queue", "run"], { cwd: test.path, env });
    const ended = await Promise.all([run(), run()]);
    expect(
      ended.map(({ exitCode }) => exitCode),
      ended.map(({ stderr }) => stderr).join("\n"),
    ).toContain(0);
    const subjects = test.git("log", "--format=%s", `${start}..main`).split("\n");
    expect(subjects.toSorted()).toEqual(stories.map(({ id }) => `Do ${id}`).toSorted());
    expect(checksRun().length).toBeLessThanOrEqual(COUNT / BATCH);
    expect(await queue.list(MAIN)).toEqual([]);
    expect(test.git("branch", "--list", "story/*")).toBe("");
  },
  3_600_000,
);
