import type { ChildProcess } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { seeded } from "../support/seeded.ts";
import { builtSaga } from "../support/programs.ts";
import { inTerminal } from "../support/terminal.ts";
import { anEpic, aStory, aTask } from "../support/project.ts";
import { newStage, type Stage } from "../support/stage.ts";
import { until } from "../support/until.ts";
import { expectExit } from "../support/expect-exit.ts";

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

/** A run says of each story how it is, or why it waits, before it does anything: what follows is its work. */
const FIRST_LINES = Object.keys(GRAPH).length;
/** So many lines of work are left for each of three runs, whatever their workers do in between. */
const LINES_OF_WORK = 8;

/** Killed after this many lines of output: each time at another step. */
function killAtLine(child: ChildProcess, line: number): void {
  let lines = 0;
  child.stderr?.on("data", (chunk: Buffer) => {
    lines += chunk.toString().split("\n").length - 1;
    if (lines > line) child.kill("SIGKILL");
  });
}

it("runs each story of a graph once, with one failing, although it is killed three times", async () => {
  const stage = await newEpic();
  const { seed, below } = seeded();
  const run = (onStart?: (child: ChildProcess) => void) =>
    stage.runWith(onStart ? { onStart } : {}, "epic", "run", "shop", "--parallel", "3", "--json");
  const kills = [1, 2, 3].map(() => FIRST_LINES + below(LINES_OF_WORK));
  for (const line of kills) {
    const killed = await run((child) => killAtLine(child, line));
    expect(killed.signal, `seed ${seed}: ${killed.stdout}${killed.stderr}`).toBe("SIGKILL");
  }
  const ended = await run();
  const about = `seed ${seed}, killed at lines ${kills.join(", ")}\n${ended.stdout}${ended.stderr}`;
  expect(ended.exitCode, about).toBe(1);
  const open = (JSON.parse(ended.stdout) as { open: { id: string; state: string }[] }).open;
  expect(open.map(({ id }) => id)).toEqual(LOST.map((name) => `shop--${name}`));
  expect(open[0]?.state).toBe("failed");
  const { waiting } = JSON.parse(ended.stdout) as { waiting: { id: string; why: string }[] };
  expect(waiting).toEqual([
    { id: "shop--after-bad", why: "needs shop--bad (failed)" },
    { id: "shop--also-after-bad", why: "needs shop--after-bad" },
  ]);
  expect(ended.stderr).toContain("shop--after-bad is waiting: needs shop--bad (failed)\n");

  const tasks = stage
    .git("log", "--format=%(trailers:key=Saga-Task,valueonly)", "epic/shop")
    .split("\n")
    .filter((line) => line !== "");
  const done = Object.keys(GRAPH).filter((name) => !LOST.includes(name));
  expect(tasks.toSorted()).toEqual(done.map((name) => `shop-${name}`).toSorted());
  expect(stage.git("log", "--format=%s", "main")).toBe("Plan\nFirst");
  expect(stage.sessions()).toEqual([]);
});

it("ends cleanly on a stop, and its workers continue", async () => {
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

it("deletes its output when it ends in a session of its own", async () => {
  const stage = await newStage();
  stage.write(".saga/epics/shop/epic.json", anEpic("shop", []));
  const started = await stage.run("epic", "run", "shop", "--detach", "--json");
  const { outputFile } = JSON.parse(started.stdout) as { outputFile: string };
  expect(existsSync(outputFile)).toBe(true);
  await until(() => stage.sessions().length === 0);
  expect(existsSync(outputFile)).toBe(false);
});

it("keeps its output when it ends in a session of its own with unfinished stories", async () => {
  const stage = await newStage();
  const children = [{ id: "shop--a", blockedBy: ["shop--a"] }];
  stage.write(".saga/epics/shop/epic.json", anEpic("shop", children));
  const started = await stage.run("epic", "run", "shop", "--detach", "--json");
  const { outputFile } = JSON.parse(started.stdout) as { outputFile: string };
  await until(() => stage.sessions().length === 0);
  // The capture of a session may be a moment behind its end.
  await until(() => readFileSync(outputFile, "utf8").includes("not completed"));
  expect(readFileSync(outputFile, "utf8")).toContain("1 story not completed: shop--a");
});

it("is attached to by the epic's name, and listed with it", async () => {
  const stage = await newStage({ steps: { "shop-a": [{ run: "while :; do sleep 0.1; done" }] } });
  stage.write(".saga/epics/shop/epic.json", anEpic("shop", [{ id: "shop--a", blockedBy: [] }]));
  stage.write(".saga/stories/shop--a/story.json", aStory("shop--a", { epic: "shop" }));
  stage.write(".saga/stories/shop--a/shop-a.json", aTask("shop-a"));
  await stage.run("epic", "run", "shop", "--detach");
  const desk = { cwd: stage.path, env: stage.env, home: stage.home, place: "attach" };
  const command = `'${process.execPath}' '${builtSaga}' attach shop`;
  await inTerminal(command, "shop--a is running", desk);
  expect((await stage.run("sessions")).stdout).toMatch(/^shop \(epic\) /m);
  await stage.run("epic", "stop", "shop");
  await stage.run("stop", "--all");
});

it("is stopped by `saga stop --all`, before it could start more stories", async () => {
  const slow = [{ run: "while :; do sleep 0.1; done" }];
  const stage = await newStage({ steps: { "shop-a": slow, "shop-b": slow } });
  const children = ["a", "b"].map((name) => ({ id: `shop--${name}`, blockedBy: [] }));
  stage.write(".saga/epics/shop/epic.json", anEpic("shop", children));
  for (const name of ["a", "b"]) {
    stage.write(`.saga/stories/shop--${name}/story.json`, aStory(`shop--${name}`));
    stage.write(`.saga/stories/shop--${name}/shop-${name}.json`, aTask(`shop-${name}`));
  }
  await stage.run("epic", "run", "shop", "--detach");
  await until(() => stage.sessions().some((name) => name.includes("shop--a")));
  const stopped = await stage.run("stop", "--all", "--json");
  expect(JSON.parse(stopped.stdout)).toMatchObject({
    epics: [{ epic: "shop", stopped: "stopped" }],
    stories: [{ story: "shop--a" }],
  });
  expect(stopped.exitCode).toBe(0);
  await until(() => stage.sessions().length === 0);
  expect(await stage.store.leases.list()).toEqual([]);
  expect(existsSync(join(stage.path, ".saga/worktrees/shop--b"))).toBe(false);
});

it("runs only once at a time", async () => {
  const stage = await newEpic();
  const words = ["epic", "run", "shop", "--json"];
  let second: ReturnType<Stage["run"]> | undefined;
  const first = await stage.runWith(
    {
      onStart: (child) => {
        child.stderr?.once("data", () => {
          second = stage.run(...words);
          void second.then(() => child.kill("SIGTERM"));
        });
      },
    },
    ...words,
  );
  expect(JSON.parse(first.stdout)).toMatchObject({ isStopped: true });
  const refused = await second;
  expect(refused?.exitCode).toBe(1);
  expect(JSON.parse(refused?.stdout ?? "")).toMatchObject({
    error: { code: "in-use", message: expect.stringContaining("is already running") as string },
  });
  await stage.run("stop", "--all");
});

it("runs the other stories beside a cycle, a missing and an invalid story, and names those at the end", async () => {
  const stage = await newEpic();
  const children = [
    { id: "shop--base", blockedBy: [] },
    { id: "shop--a", blockedBy: ["shop--b"] },
    { id: "shop--b", blockedBy: ["shop--a"] },
    { id: "shop--c", blockedBy: [] },
    { id: "shop--d", blockedBy: [] },
  ];
  stage.write(".saga/epics/shop/epic.json", anEpic("shop", children));
  rmSync(join(stage.path, ".saga/stories/shop--c"), { recursive: true });
  stage.write(".saga/stories/shop--d/story.json", "{");
  const ended = await expectExit(1, stage.run("epic", "run", "shop"));
  const lines = [
    "  shop--a is waiting: depends on itself: shop--a → shop--b → shop--a",
    "  shop--b is waiting: depends on itself: shop--b → shop--a → shop--b",
    "  shop--c is waiting: does not exist",
    "  shop--d is waiting: its files are invalid (.saga/stories/shop--d/story.json:1)",
  ];
  expect(ended.stdout).toContain(lines.join("\n"));
  for (const line of lines) expect(ended.stderr.split(`${line.trim()}\n`)).toHaveLength(2);
  expect(stage.git("log", "--format=%s", "epic/shop")).toContain("shop-base");
});

it("that stays open starts its next story from its target again after each merge", async () => {
  const stage = await newStage({ config: '[delivery]\nkind = "epic-branch"\n' });
  const ids = ["shop--cart", "shop--till"];
  const files = ["rehearsal/shop-cart.md", "rehearsal/shop-till.md"];
  for (const at of ids.keys()) {
    const children = ids.slice(0, at + 1).map((id) => ({ id }));
    stage.write(".saga/epics/shop/epic.json", anEpic("shop", children, { persistent: true }));
    const [id = "", taskId = ""] = [ids[at], ids[at]?.replace("--", "-")];
    stage.write(`.saga/stories/${id}/story.json`, aStory(id, { epic: "shop" }));
    stage.write(`.saga/stories/${id}/${taskId}.json`, aTask(taskId));
    stage.git("add", "--all");
    stage.git("commit", "--quiet", `--message=Plan ${id}`);
    const planned = stage.git("rev-parse", "main");
    await expectExit(0, stage.run("epic", "run", "shop", "--json"));
    expect(stage.git("rev-list", "epic/shop").split("\n")).toContain(planned);
    const waits = await stage.sagaWithEnv(stage.env, "status", "--json");
    expect(waits.json()).toMatchObject({ epicsToMerge: [{ epic: "shop" }] });
    await expectExit(0, stage.run("merge", "shop", "--update-checkout"));
    const there = stage.git("ls-tree", "--name-only", "main", "rehearsal/").split("\n");
    expect(there).toEqual(files.slice(0, at + 1));
    const after = await stage.sagaWithEnv(stage.env, "status", "--json");
    expect(after.json()).toMatchObject({ epicsToMerge: [], needsYou: [] });
  }
});
