import { expect, it } from "vitest";
import { say } from "../../src/rehearsal/scripted-agent.ts";
import { bash, CONFIG, finish, newPoolStage, usual, worker } from "../support/pool-stage.ts";
import { expectExit } from "../support/expect-exit.ts";

const startedTasks = (output: string): string[] =>
  [...output.matchAll(/started task (?<id>\S+) /g)].map(({ groups }) => groups?.["id"] ?? "");

it("merges the work on a task, and completes the task only then", async () => {
  const stage = await newPoolStage();
  stage.addTask("1", { metadata: { theirs: true } });
  const ended = await expectExit(
    0,
    stage.sagaWithEnv(stage.env, "auto", "--once", "--workers", "1", "--json"),
  );
  expect(ended.stderr).toMatch(
    /^auto-1 started task 1 "Do 1"\nauto-1 merged task 1 as [0-9a-f]{12}\n$/,
  );
  expect(JSON.parse(ended.stdout)).toMatchObject({ ended: "done", completed: ["1"] });

  const task = stage.task("1");
  expect(task).toMatchObject({ status: "completed", metadata: { theirs: true } });
  expect(task.owner).toBeUndefined();
  expect(stage.git("log", "-1", "--format=%s", "main")).toBe("Do 1");
  const [run] = await stage.store.listRuns("auto-1");
  expect(run).toMatchObject({ outcome: "done", task: "1", list: "chores" });
  const trailers = stage.git("log", "-1", "--format=%(trailers:only)", "main");
  expect(trailers).toBe(`Saga-Task: chores/1\nSaga-Run: ${run?.id}`);
  // The checkout follows, and nothing of the pool's shows in it.
  expect(stage.read("work/1.md")).toBe("The work of 1.\n");
  expect(stage.git("status", "--porcelain", "--", ".", ":!.saga/stories")).toBe("");
  expect((await stage.saga("validate")).exitCode).toBe(0);
  expect((await stage.saga("list")).stdout).not.toContain("auto-1");
  expect(stage.sessions()).toEqual([]);
  expect((await stage.store.leases.list()).map(({ name }) => name)).toEqual([]);
});

it("updates the checkout after a merge at the remote, if that is allowed", async () => {
  const stage = await newPoolStage({ config: `${CONFIG}[git]\npush = "always"\n` });
  stage.git("init", "--quiet", "--bare", "--initial-branch=main", "../remote.git");
  stage.git("remote", "add", "origin", "../remote.git");
  stage.git("push", "--quiet", "--set-upstream", "origin", "main");
  stage.addTask("1");
  await expectExit(0, stage.sagaWithEnv(stage.env, "auto", "--once", "--workers", "1"));
  expect(stage.git("ls-remote", "origin", "main")).toContain(stage.git("rev-parse", "main"));
  expect(stage.read("work/1.md")).toBe("The work of 1.\n");
});

it("takes the most urgent first, then the lowest number, then other ids", async () => {
  const stage = await newPoolStage({
    agent: ({ calls }) => say(calls.length === 0 ? finish("no_changes") : "Goodbye."),
  });
  stage.addTask("10");
  stage.addTask("9");
  stage.addTask("a-name");
  stage.addTask("11", { metadata: { priority: 0 } });
  stage.addTask("12", { metadata: { priority: 4 } });
  const ended = await stage.sagaWithEnv(stage.env, "auto", "--once", "--workers", "1");
  expect(startedTasks(ended.stderr)).toEqual(["11", "9", "10", "a-name", "12"]);
});

it("gives two workers tasks of different labels", async () => {
  const stage = await newPoolStage();
  stage.addTask("1", { metadata: { label: "ui" } });
  stage.addTask("2", { metadata: { label: "ui" } });
  stage.addTask("3", { metadata: { label: "db" } });
  const ended = await expectExit(
    0,
    stage.sagaWithEnv(stage.env, "auto", "--once", "--workers", "2"),
  );
  expect(startedTasks(ended.stderr).slice(0, 2).toSorted()).toEqual(["1", "3"]);
  expect(stage.merged().toSorted()).toEqual(["1", "2", "3"]);
});

it("runs a chain in order, each task on top of the previous one", async () => {
  const needs = (before: string, id: string) => [
    bash(`test -f work/${before}.md && echo it is there`),
    ...usual(id),
  ];
  const stage = await newPoolStage({ agent: worker({ b: needs("a", "b"), c: needs("b", "c") }) });
  stage.addTask("c", { blockedBy: ["b"] });
  stage.addTask("b", { blockedBy: ["a"], blocks: ["c"] });
  stage.addTask("a", { blocks: ["b"] });
  await expectExit(0, stage.sagaWithEnv(stage.env, "auto", "--once", "--workers", "2"));
  expect(stage.merged()).toEqual(["a", "b", "c"]);
  const answers: string[] = [];
  for (const name of ["auto-1", "auto-2"]) {
    for (const { id } of await stage.store.listRuns(name)) {
      const { events } = await stage.store.readEvents(name, id);
      answers.push(...events.flatMap(({ about }) => (about === "it is there" ? [name] : [])));
    }
  }
  expect(answers).toHaveLength(2);
});

it("notices changed and added tasks while it runs", async () => {
  const prompts: string[] = [];
  const stage = await newPoolStage({
    agent: ({ taskId, prompt, calls }) => {
      if (calls.length === 0) prompts.push(prompt);
      if (taskId === "1" && calls.length === 0) {
        stage.addTask("2", { description: "Edited meanwhile.", metadata: { priority: 4 } });
        stage.addTask("3");
      }
      return worker()({ taskId, prompt, calls } as never);
    },
  });
  stage.addTask("1");
  stage.addTask("2", { description: "As it was." });
  await expectExit(0, stage.sagaWithEnv(stage.env, "auto", "--once", "--workers", "1"));
  expect(stage.merged()).toEqual(["1", "3", "2"]);
  expect(prompts.at(-1)).toContain("Edited meanwhile.");
});

it("runs the tasks that its own agents add", async () => {
  const more = { subject: "And this too", description: "Found on the way." };
  const stage = await newPoolStage({
    agent: worker({ "1": [{ tool: "TaskCreate", input: more }, ...usual("1")] }),
  });
  stage.addTask("1");
  const ended = await stage.sagaWithEnv(stage.env, "auto", "--once", "--workers", "1");
  expect(ended.stderr).toContain('auto-1 started task 2 "And this too"');
  expect(stage.tasks()).toEqual({ "1": "completed", "2": "completed" });
  expect(stage.merged()).toEqual(["1", "2"]);
});

it("adds prologue and epilogue of a task's label to the prompt", async () => {
  let prompt = "";
  const stage = await newPoolStage({
    agent: (turn) => {
      ({ prompt } = turn);
      return worker()(turn);
    },
  });
  stage.write(
    ".claude/saga_task_context.toml",
    '[ui]\nprologue = "Think of the users."\nepilogue = "Try it with a screen reader."\n',
  );
  stage.addTask("1", { metadata: { label: "ui" } });
  await stage.sagaWithEnv(stage.env, "auto", "--once", "--workers", "1");
  const order = ["Think of the users.", "Do 1", "How to do 1.", "Try it with a screen reader."];
  const places = order.map((part) => prompt.indexOf(part));
  expect(places).toEqual(places.toSorted((one, other) => one - other));
  expect(places[0]).toBeGreaterThan(0);
});

it("lets two daemons share a list: worker names differ, and each task runs once", async () => {
  const stage = await newPoolStage();
  for (const id of ["1", "2", "3", "4"]) stage.addTask(id);
  const pools = [stage.auto("--once", "--workers", "1"), stage.auto("--once", "--workers", "1")];
  const ended = await Promise.all(pools.map((pool) => pool.ended));
  expect(ended.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
  const output = ended.map(({ stderr }) => stderr).join("");
  expect(startedTasks(output).toSorted()).toEqual(["1", "2", "3", "4"]);
  expect(output).toMatch(/^auto-1 started task/m);
  expect(output).toMatch(/^auto-2 started task/m);
  expect(stage.merged().toSorted()).toEqual(["1", "2", "3", "4"]);
});

it("does not touch tasks that others have in progress", async () => {
  const stage = await newPoolStage();
  stage.addTask("1", { status: "in_progress", owner: "ann" });
  stage.addTask("2", { owner: "bob" });
  stage.addTask("3");
  await expectExit(0, stage.sagaWithEnv(stage.env, "auto", "--once", "--workers", "1"));
  expect(stage.merged()).toEqual(["3"]);
  expect(stage.task("1")).toMatchObject({ status: "in_progress", owner: "ann" });
  expect(stage.task("2")).toMatchObject({ status: "pending", owner: "bob" });
});
