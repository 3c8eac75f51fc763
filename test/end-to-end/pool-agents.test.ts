import { expect, it } from "vitest";
import { say } from "../../src/rehearsal/scripted-agent.ts";
import { aCard, forgeClaim } from "../support/claims.ts";
import {
  bash,
  CONFIG,
  finish,
  newPoolStage,
  worker,
  write,
  type PoolStage,
} from "../support/pool-stage.ts";
import { expectExit } from "../support/expect-exit.ts";

const saga = (stage: PoolStage, id: string): unknown => stage.task(id).metadata?.["saga"];

it("never completes a task when its agent only asked something, and continues with others", async () => {
  const stage = await newPoolStage({
    agent: worker({ "1": ["Which of the two forms is meant?"] }),
  });
  stage.addTask("1");
  stage.addTask("2");
  const ended = await expectExit(3, stage.auto("--once", "--workers", "1").ended);
  expect(ended.stderr).toContain(
    "task 1 needs you: The agent ended without finishing the task. It said: Which of",
  );
  expect(stage.merged()).toEqual(["2"]);
  expect(stage.task("1").status).toBe("pending");
  const why =
    "The agent ended without finishing the task. It said: Which of the two forms is meant?";
  expect(saga(stage, "1")).toMatchObject({ held: { kind: "blocker", why } });
});

it("prints no secret that an agent quoted", async () => {
  const secret = `ghp_${"a1B2".repeat(9)}`;
  const stage = await newPoolStage({ agent: worker({ "1": [`Shall I use ${secret} for it?`] }) });
  stage.addTask("1");
  const ended = await expectExit(3, stage.auto("--once", "--workers", "1").ended);
  expect(ended.stderr).toContain("Shall I use … for it?");
  expect(ended.stderr + ended.stdout).not.toContain(secret);
  expect(JSON.stringify(saga(stage, "1"))).not.toContain(secret);
  const [run] = await stage.store.listRuns("auto-1");
  expect(run?.reason).toContain("Shall I use … for it?");
});

it("puts a task on hold with its agent's question, and keeps the work", async () => {
  const question = { title: "Which database?", body: "Either would do." };
  const ask = { tool: "mcp__saga__report_blocker", input: question };
  const stage = await newPoolStage({ agent: worker({ "1": [write("half.md", "Half.\n"), ask] }) });
  stage.addTask("1");
  await expectExit(3, stage.auto("--once", "--workers", "1").ended);
  expect(saga(stage, "1")).toMatchObject({
    held: { kind: "blocker", why: "Which database?\n\nEither would do." },
  });
  const [keep = ""] = stage.keeps();
  expect(keep).toMatch(/^refs\/saga\/keep\/auto-1\//);
  expect(stage.git("show", `${keep}:half.md`)).toBe("Half.");
});

it("refuses a contradictory finish: done without a change, no_changes with one", async () => {
  const answers: string[] = [];
  const steps = [finish("done"), write("a.md", "A.\n"), finish("no_changes"), finish("done")];
  const stage = await newPoolStage({
    agent: (turn) => {
      answers.splice(0, answers.length, ...turn.calls.map(({ answer }) => answer));
      return worker({ "1": steps })(turn);
    },
  });
  stage.addTask("1");
  await expectExit(0, stage.auto("--once", "--workers", "1").ended);
  expect(answers[0]).toContain("No file has changed.");
  expect(answers[2]).toContain("There are changes in");
  expect(stage.merged()).toEqual(["1"]);
});

it("refuses an agent that sets a task's status or owner, or changes or deletes another task", async () => {
  const update = (input: Record<string, unknown>) => ({ tool: "TaskUpdate", input });
  const refused: boolean[] = [];
  const steps = [
    update({ taskId: "1", status: "completed" }),
    update({ taskId: "2", status: "deleted" }),
    update({ taskId: "2", owner: "me" }),
    update({ taskId: "2", metadata: { saga: { attempts: 0 } } }),
    update({ taskId: "2", description: "Better said." }),
    finish("no_changes"),
  ];
  const stage = await newPoolStage({
    agent: (turn) => {
      if (turn.taskId === "1") refused.splice(0, 9, ...turn.calls.map(({ isError }) => isError));
      return worker({ "1": steps, "2": [finish("no_changes")] })(turn);
    },
  });
  stage.addTask("1");
  stage.addTask("2");
  await expectExit(0, stage.auto("--once", "--workers", "1").ended);
  expect(refused).toEqual([true, true, true, true, true, false]);
  expect(stage.task("2").description).toBe("How to do 2.");
});

it("lets the agent fix what the gate refused, in the same conversation", async () => {
  let received = "";
  const stage = await newPoolStage({
    config: CONFIG.replace("[delivery]", 'checks = ["test -f right.md"]\n[delivery]'),
    agent: (turn) => {
      ({ received } = turn);
      const isFixing = received.includes("the gate refused it");
      const steps = [
        write("wrong.md", "Wrong.\n"),
        finish(),
        write("right.md", "Right.\n"),
        finish(),
      ];
      const step = steps[turn.calls.length];
      return say(turn.calls.length === 2 && !isFixing ? "Goodbye." : (step ?? "Goodbye."));
    },
  });
  stage.addTask("1", { metadata: { checks: ["test -f wrong.md"] } });
  await expectExit(0, stage.auto("--once", "--workers", "1").ended);
  const [run] = await stage.store.listRuns("auto-1");
  expect(run?.cycles).toBe(2);
  expect(received).toContain("The check `test -f right.md` failed (exit 1)");
  // One commit, whatever had to be fixed on the way.
  expect(stage.merged()).toEqual(["1"]);
});

it("puts a task on hold that failed too often, and keeps the work of each attempt", async () => {
  const stage = await newPoolStage({
    config: `${CONFIG.replace("[delivery]", 'checks = ["false"]\nmax_attempts = 2\n[delivery]')}[gate]\nfix_rounds = 0\n`,
  });
  stage.addTask("1");
  stage.addTask("2", { blockedBy: ["1"] });
  const ended = await expectExit(3, stage.auto("--once", "--workers", "1").ended);
  expect(ended.stderr).toContain("auto-1 failed task 1: The check `false` failed (exit 1).");
  expect(ended.stderr).toContain("task 1 needs you: Failed 2 times.");
  expect(stage.tasks()).toEqual({ "1": "pending", "2": "pending" });
  expect(saga(stage, "1")).toMatchObject({
    attempts: 2,
    lastFailure: "The check `false` failed (exit 1).",
    held: { kind: "parked" },
  });
  const saved = stage.keeps().map((ref) => stage.git("show", `${ref}:work/1.md`));
  expect(saved).toEqual(["The work of 1.", "The work of 1."]);
  expect(stage.merged()).toEqual([]);
});

it("gives a conflict between two workers to the later agent, with both sides described", async () => {
  const both = new Set<string>();
  let release = (): void => undefined;
  const bothAreAtWork = new Promise<void>((resolve) => (release = resolve));
  let sides = "";
  const stage = await newPoolStage({
    agent: async ({ taskId, calls, received }) => {
      both.add(taskId);
      if (both.size === 2) release();
      // Neither has seen what the other does.
      await bothAreAtWork;
      if (received.includes("The merge is in progress")) {
        sides = received;
        const steps = [write("README.md", "# One\n# Two\n"), finish()];
        return say(steps[calls.length - 2] ?? "Goodbye.");
      }
      const steps = [write("README.md", `# Of ${taskId}\n`), finish()];
      return say(steps[calls.length] ?? "Goodbye.");
    },
  });
  stage.addTask("1");
  stage.addTask("2");
  await expectExit(0, stage.auto("--once", "--workers", "2").ended);
  expect(stage.tasks()).toEqual({ "1": "completed", "2": "completed" });
  expect(stage.git("show", "main:README.md")).toBe("# One\n# Two");
  expect(sides).toMatch(/README\.md\n {2}main changed it: Do [12] \([0-9a-f]{10}\)/);
  expect(sides).toMatch(/ {2}story\/auto-[12] changed it: Do [12]/);
});

it("puts a task on hold whose conflict was not resolved, and keeps its work", async () => {
  const stage = await newPoolStage({
    agent: ({ calls, received }) => {
      if (calls.length === 0) {
        stage.write("README.md", "# Of a person\n");
        stage.git("commit", "--quiet", "--all", "--message=Meanwhile");
      }
      const isConflict = received.includes("The merge is in progress");
      const steps = [write("README.md", "# Of an agent\n"), finish()];
      const more = [bash("git merge --abort"), finish()];
      return say((isConflict ? [...steps, ...more] : steps)[calls.length] ?? "Goodbye.");
    },
  });
  stage.addTask("1");
  const ended = await expectExit(3, stage.auto("--once", "--workers", "1").ended);
  expect(ended.stderr).toContain("task 1 needs you: story/auto-1 conflicts with main again");
  const { why } = (saga(stage, "1") as { held: { why: string } }).held;
  expect(why).toMatch(/README\.md\n {2}main changed it: Meanwhile/);
  expect(why).toMatch(/ {2}story\/auto-1 changed it: Do 1/);
  const saved = stage.keeps().map((ref) => stage.git("show", `${ref}:README.md`));
  expect(saved).toContain("# Of an agent");
  expect(stage.git("show", "main:README.md")).toBe("# Of a person");
});

it("merges nothing after another process took over its claim", async () => {
  const stage = await newPoolStage({
    agent: (turn) => {
      // As if this worker had been taken for dead once its work is there: someone who lives has a later
      // claim than its own. It may see that at once, or only when it is about to merge.
      const other = aCard({ owner: "someone-else" });
      if (turn.calls.length === 1) forgeClaim(stage.list, "1", 2, other);
      return worker()(turn);
    },
  });
  stage.addTask("1");
  const ended = await expectExit(0, stage.auto("--once", "--workers", "1").ended);
  expect(ended.stderr).toContain("auto-1 lost task 1: Another process has claimed the task.");
  expect(stage.merged()).toEqual([]);
  const saved = stage.keeps().map((ref) => stage.git("show", `${ref}:work/1.md`));
  expect(saved).toContain("The work of 1.");
});

it("stops a silent agent, as a failure", async () => {
  const stage = await newPoolStage({
    config: `${CONFIG.replace("[delivery]", "max_attempts = 1\n[delivery]")}[watch]\ncheck_in_minutes = 0.03\n`,
    agent: ({ calls }) => (calls.length === 0 ? say(bash("true")) : { kind: "hang" }),
  });
  stage.addTask("1");
  const ended = await expectExit(3, stage.auto("--once", "--workers", "1").ended);
  expect(ended.stderr).toContain("task 1 needs you: Failed 1 time. The agent used no tool for");
});

it("starts a new conversation if the old one is lost, with what to fix", async () => {
  const received: string[] = [];
  const check = "grep -q right 1.md || { rm -r ~/claude/projects; exit 7; }";
  const stage = await newPoolStage({
    config: CONFIG.replace("[auto]", `[auto]\nchecks = ["${check}"]`),
    agent: (turn) => {
      received.push(turn.received);
      const content = turn.received.includes("exit 7):") ? "right\n" : "wrong\n";
      return worker({ "1": [write("1.md", content), finish("done")] })(turn);
    },
  });
  stage.addTask("1");
  await expectExit(0, stage.auto("--once", "--workers", "1").ended);
  expect(stage.merged()).toEqual(["1"]);
  expect(received.at(-1)).toContain("The work has already been started");
  expect(saga(stage, "1")).toBeUndefined();
});

it("waits for a usage limit, and continues in the same conversation", async () => {
  let turns = 0;
  const stage = await newPoolStage({
    config: `${CONFIG}[limits]\npause = 0.5\n`,
    agent: (turn) => {
      if (turns++ === 1) return { kind: "refuse", status: 429, message: "Too many." };
      return worker()(turn);
    },
  });
  stage.addTask("1");
  await expectExit(0, stage.auto("--once", "--workers", "1").ended);
  expect(stage.merged()).toEqual(["1"]);
  const [run] = await stage.store.listRuns("auto-1");
  const { events } = await stage.store.readEvents("auto-1", run?.id ?? "");
  expect(events.map(({ type }) => type)).toContain("limit.reached");
  expect(new Set(events.flatMap(({ conversation }) => conversation ?? [])).size).toBe(1);
});
