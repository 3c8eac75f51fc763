import type { ChildProcess } from "node:child_process";
import { expect, it } from "vitest";
import { anEpic, aStory, aTask } from "../support/project.ts";
import { newStage, type Stage } from "../support/stage.ts";

/** Twelve stories in a graph; the one called `bad` can never be completed. */
const GRAPH: Readonly<Record<string, readonly string[]>> = {
  base: [],
  a: ["base"],
  b: ["base"],
  c: ["base"],
  bad: ["a"],
  "after-bad": ["bad"],
  "also-after-bad": ["after-bad", "b"],
  d: ["a", "b"],
  e: ["c"],
  f: ["d", "e"],
  g: [],
  last: ["f", "g"],
};
const LOST = ["bad", "after-bad", "also-after-bad"];

async function newEpic(): Promise<Stage> {
  const stage = await newStage({ config: '[delivery]\nkind = "epic-branch"\n' });
  const children = Object.entries(GRAPH).map(([name, blockedBy]) => ({
    id: `shop--${name}`,
    blockedBy: blockedBy.map((one) => `shop--${one}`),
  }));
  stage.write(".saga/epics/shop/epic.json", anEpic("shop", children));
  for (const { id } of children) {
    const taskId = id.replace("--", "-");
    const writeFiles = [`rehearsal/${taskId}.md`];
    const checks = id === "shop--bad" ? ["false"] : [];
    const story = { epic: "shop", writeFiles, checks: ["test -d rehearsal"] };
    stage.write(`.saga/stories/${id}/story.json`, aStory(id, story));
    stage.write(`.saga/stories/${id}/${taskId}.json`, aTask(taskId, { writeFiles, checks }));
  }
  stage.git("add", "--all");
  stage.git("commit", "--quiet", "--message=Plan");
  return stage;
}

it("works through a graph with one that fails in the middle, killed three times, each story once", async () => {
  const stage = await newEpic();
  const run = (onStart?: (child: ChildProcess) => void) =>
    stage.runWith(onStart ? { onStart } : {}, "epic", "run", "shop", "--parallel", "3", "--json");
  for (const afterMs of [2_500, 6_000, 9_000]) {
    await run((child) => void setTimeout(() => child.kill("SIGKILL"), afterMs));
  }
  const ended = await run();
  expect(ended.exitCode, ended.stdout + ended.stderr).toBe(1);
  const open = (JSON.parse(ended.stdout) as { open: { id: string; state: string }[] }).open;
  expect(open.map(({ id }) => id)).toEqual(LOST.map((name) => `shop--${name}`));
  expect(open[0]?.state).toBe("failed");

  const tasks = stage
    .git("log", "--format=%(trailers:key=Saga-Task,valueonly)", "epic/shop")
    .split("\n")
    .filter((line) => line !== "");
  const done = Object.keys(GRAPH).filter((name) => !LOST.includes(name));
  expect(tasks.toSorted()).toEqual(done.map((name) => `shop-${name}`).toSorted());
  expect(stage.git("log", "--format=%s", "main")).toBe("Plan\nFirst");
  expect(stage.sessions()).toEqual([]);
});

it("ends cleanly when it is told to, and leaves its workers at work", async () => {
  const stage = await newEpic();
  const words = ["epic", "run", "shop", "--parallel", "2", "--json"];
  const isBegun = async (): Promise<boolean> => stage.sessions().length > 0;
  const ended = await stage.runWith(
    {
      onStart: (child) => {
        const timer = setInterval(() => {
          void isBegun().then((is) => {
            if (!is) return;
            clearInterval(timer);
            child.kill("SIGTERM");
          });
        }, 100);
      },
    },
    ...words,
  );
  expect(ended.exitCode).toBe(1);
  expect(JSON.parse(ended.stdout)).toMatchObject({ isStopped: true, isDone: false });
  expect((await stage.store.leases.list()).filter(({ name }) => name.startsWith("epic"))).toEqual(
    [],
  );
  await stage.run("stop", "--all");
});
