// What agents, people and a busy target do to a task while it is worked on: no work is lost or paid for
// twice, nothing counts that was not done, and the message says how to fix it.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import {
  bash,
  CONFIG,
  finish,
  newPoolStage,
  usual,
  worker,
  write,
  type PoolAgent,
  type PoolStage,
} from "../support/pool-stage.ts";

const once = (stage: PoolStage, ...words: string[]) =>
  stage.auto("--once", "--workers", "1", ...words).ended;

/** The same, and what it was answered so far. */
function withAnswers(agent: PoolAgent): { readonly agent: PoolAgent; readonly answers: string[] } {
  const answers: string[] = [];
  return {
    answers,
    agent(turn) {
      answers.splice(0, answers.length, ...turn.calls.map(({ answer }) => answer));
      return agent(turn);
    },
  };
}

const withAuto = (lines: string): string => CONFIG.replace("[delivery]", `${lines}\n[delivery]`);

it("refuses work in a nested repository, with a message to its agent", async () => {
  const { agent, answers } = withAnswers(
    worker({
      "1": [
        bash("mkdir sub && git -C sub init -q && echo precious > sub/f"),
        finish(),
        bash("rm -rf sub/.git"),
        finish(),
      ],
    }),
  );
  const stage = await newPoolStage({ agent });
  stage.addTask("1");
  expect((await once(stage)).exitCode).toBe(0);
  expect(answers[1]).toContain("sub is a nested git repository");
  expect(stage.git("show", "main:sub/f")).toBe("precious");
});

it("explains to an agent that left its branch how to return", async () => {
  const { agent, answers } = withAnswers(
    worker({
      "1": [
        bash("git switch -q -c other"),
        ...usual("1"),
        bash("git switch -q story/auto-1"),
        finish(),
      ],
    }),
  );
  const stage = await newPoolStage({ agent });
  stage.addTask("1");
  expect((await once(stage)).exitCode).toBe(0);
  expect(answers[2]).toContain("`git switch story/auto-1`");
  expect(stage.merged()).toEqual(["1"]);
});

it("explains to an agent that its worktree is missing, and continues with other tasks", async () => {
  const remove = `python3 -c "import os,shutil; shutil.rmtree(os.environ['SAGA_PROJECT_DIR'])"`;
  const { agent, answers } = withAnswers(worker({ "1": [bash(`cd /; ${remove}`), finish()] }));
  const stage = await newPoolStage({ config: withAuto("max_attempts = 1"), agent });
  stage.addTask("1");
  let ended = await once(stage);
  expect(answers[1]).toContain("There is no worktree at ");
  expect(ended.exitCode, ended.stderr).toBe(3);
  expect(ended.stderr).not.toContain("no git on this machine");
  stage.addTask("2");
  ended = await once(stage);
  expect(stage.merged(), ended.stderr).toEqual(["2"]);
});

it("lets an agent add tasks, and correct a call that would stop the pool", async () => {
  const create = (metadata: object) => ({
    tool: "TaskCreate",
    input: { subject: "More", description: "More.", metadata },
  });
  const update = (input: object) => ({ tool: "TaskUpdate", input });
  const { agent, answers } = withAnswers(
    worker({
      "1": [
        create({ priority: "high" }),
        create({ checks: ["touch escaped"] }),
        create({ priority: 1 }),
        update({ taskId: "3", description: "Better said.", addBlockedBy: ["2"] }),
        update({ taskId: "2", addBlockedBy: ["3"] }),
        update({ taskId: "2", metadata: { checks: null } }),
        ...usual("1"),
      ],
      "2": [finish("no_changes")],
      "3": [finish("no_changes")],
    }),
  );
  const received: string[] = [];
  const stage = await newPoolStage({
    agent(turn) {
      const reply = agent(turn);
      if (turn.taskId === "1") received.splice(0, received.length, ...answers);
      return reply;
    },
  });
  stage.addTask("1", { metadata: { priority: 0 } });
  stage.addTask("2", { metadata: { checks: ["true"] } });
  const ended = await once(stage);
  expect(ended.exitCode, ended.stderr).toBe(0);
  expect(received[0]).toContain("`metadata.priority` must be");
  expect(received[1]).toContain("only people write checks");
  expect(received[4]).toContain("Tasks wait for each other in a cycle: 2 → 3 → 2.");
  expect(received[5]).toContain("only people write checks");
  expect(stage.task("2").metadata).toEqual({ checks: ["true"] });
  expect(stage.task("3")).toMatchObject({
    description: "Better said.",
    blockedBy: ["2"],
    metadata: { priority: 1 },
  });
  expect(Object.values(stage.tasks())).toEqual(["completed", "completed", "completed"]);
});

it("runs the checks on the target when no change is needed, and reports a failure", async () => {
  let received = "";
  const steps = [finish("no_changes"), write("must-exist.md", "There.\n"), finish()];
  const stage = await newPoolStage({
    agent: (turn) => {
      ({ received } = turn);
      const isFixing = received.includes("does not pass the checks. In a clean checkout of it:");
      return worker({ "1": isFixing ? steps : steps.slice(0, 1) })(turn);
    },
  });
  stage.addTask("1", { metadata: { checks: ["test -f must-exist.md"] } });
  const ended = await once(stage);
  expect(ended.exitCode, ended.stderr).toBe(0);
  expect(received).toContain("The check `test -f must-exist.md` failed (exit 1)");
  expect(stage.merged()).toEqual(["1"]);
});

it("completes a task without a commit if its agent changes nothing and its checks pass", async () => {
  const stage = await newPoolStage({
    agent: worker({ "1": [finish("no_changes", "All there.")] }),
  });
  stage.addTask("1", { metadata: { checks: ["test -f README.md"] } });
  const ended = await once(stage);
  expect(ended.stderr).toContain("auto-1 completed task 1 without a change: All there.");
  expect(stage.tasks()).toEqual({ "1": "completed" });
  expect(stage.merged()).toEqual([]);
});

it("counts a failure even if the task was returned meanwhile", async () => {
  let runs = 0;
  const stage: PoolStage = await newPoolStage({
    config: `${withAuto('checks = ["false"]\nmax_attempts = 2')}[gate]\nfix_rounds = 0\n`,
    agent: (turn) => {
      if (turn.calls.length === 1) {
        runs++;
        const { owner: _, ...task } = stage.task("1");
        writeFileSync(join(stage.list, "1.json"), JSON.stringify({ ...task, status: "pending" }));
      }
      return worker()(turn);
    },
  });
  stage.addTask("1");
  const ended = await once(stage);
  expect([ended.exitCode, runs], ended.stderr).toEqual([3, 2]);
  expect(ended.stderr).toContain(
    "auto-1 failed task 1: The check `false` failed (exit 1); its status or owner was changed in the meantime",
  );
  expect(stage.task("1").metadata?.["saga"]).toMatchObject({ attempts: 2, held: {} });
});

it("does not merge a task that was deleted while it ran, and keeps the work", async () => {
  const stage: PoolStage = await newPoolStage();
  const file = join(stage.list, "1.json");
  // In the last moment before it would be merged.
  stage.addTask("1", { metadata: { checks: [`rm -f '${file}'`] } });
  const ended = await once(stage);
  expect(ended.stderr).toContain(
    "auto-1 lost task 1: Its task file was deleted. Nothing was merged",
  );
  expect(stage.merged()).toEqual([]);
  const saved = stage.keeps().map((ref) => stage.git("show", `${ref}:work/1.md`));
  expect(saved).toContain("The work of 1.");
});

it("lists a task as completed that was deleted after it was merged", async () => {
  const stage: PoolStage = await newPoolStage();
  // Runs when the project's own checkout follows: then it is merged already.
  const deleting = `case "$PWD" in */worktrees/*) ;; *) rm -f '${join(stage.list, "1.json")}' ;; esac; cat`;
  stage.write(".gitattributes", "*.md filter=deleting\n");
  stage.git("add", ".gitattributes");
  stage.git("commit", "--quiet", "--message=Attributes");
  stage.git("config", "filter.deleting.smudge", deleting);
  stage.addTask("1");
  const ended = await once(stage, "--json");
  expect(ended.stderr).toMatch(/auto-1 merged task 1 as [0-9a-f]{12}; its task file is gone/);
  expect(JSON.parse(ended.stdout)).toMatchObject({ completed: ["1"] });
  expect(stage.merged()).toEqual(["1"]);
});

it("starts no agent while the target cannot be updated, and its overseer notifies a person at once", async () => {
  let turns = 0;
  const stage = await newPoolStage({
    agent: (turn) => {
      turns++;
      return worker()(turn);
    },
  });
  stage.addTask("1");
  stage.write("README.md", "# A person's edit\n");
  const { exitCode, stdout } = await once(stage, "--oversee", "--json");
  expect([exitCode, turns]).toEqual([1, 0]);
  expect(JSON.parse(stdout)).toMatchObject({
    overseer: { starts: 1, repairs: 0, gaveUp: { failure: { kind: "write-failed" } } },
  });
  expect(stage.tasks()).toEqual({ "1": "pending" });
  expect(stage.read("README.md")).toBe("# A person's edit\n");
});

it.each<[string, string, PoolAgent]>([
  ["a refused login", CONFIG, () => ({ kind: "refuse", status: 401, message: "Log in first." })],
  ["a wrong setting", `${CONFIG}[worktree]\ncopy = [".git/config"]\n`, worker()],
])("is not restarted by its overseer after %s", async (_, config, agent) => {
  const stage = await newPoolStage({ config, agent });
  stage.addTask("1");
  const { exitCode, stdout, stderr } = await once(stage, "--oversee", "--json");
  expect(exitCode, stderr).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({
    overseer: { starts: 1, repairs: 0, gaveUp: { failure: { needsPerson: true } } },
  });
});

/** While the agent works, a person edits a file in the checkout that the task would change. */
async function newEditedStage() {
  let runs = 0;
  const stage: PoolStage = await newPoolStage({
    agent: (turn) => {
      if (turn.calls.length === 0) runs++;
      stage.write("README.md", "# A person's edit\n");
      return worker()(turn);
    },
  });
  stage.addTask("1");
  return { stage, runs: () => runs };
}

it("merges finished work later if the target could not be updated", async () => {
  const { stage, runs } = await newEditedStage();
  let ended = await once(stage, "--oversee", "--json");
  expect(JSON.parse(ended.stdout)).toMatchObject({ overseer: { starts: 1, repairs: 0 } });
  expect(ended.stderr).toContain("The work on task 1 is done");
  expect(stage.tasks()).toEqual({ "1": "pending" });
  stage.git("commit", "--quiet", "--all", "--message=Mine");
  ended = await once(stage);
  expect([ended.exitCode, runs()], ended.stderr).toEqual([0, 1]);
  expect(stage.merged()).toEqual(["1"]);
  expect(stage.task("1")).toMatchObject({ status: "completed" });
  expect(stage.task("1").metadata).toBeUndefined();
});

it("runs a task again if its finished work no longer passes", async () => {
  let runs = 0;
  const stage: PoolStage = await newPoolStage({
    agent: (turn) => {
      if (turn.calls.length === 0 && ++runs === 1) stage.write("README.md", "# An edit\n");
      return worker({ "1": [write("README.md", `# Run ${runs}\n`), finish()] })(turn);
    },
  });
  stage.addTask("1");
  expect((await once(stage)).exitCode).toBe(1);
  // Now both have changed the same line.
  stage.git("commit", "--quiet", "--all", "--message=Mine");
  const ended = await once(stage);
  expect([ended.exitCode, runs], ended.stderr).toEqual([0, 2]);
  expect(stage.git("show", "main:README.md")).toBe("# Run 2");
});

it("completes a task that a person merged by hand while the target could not be updated", async () => {
  const { stage, runs } = await newEditedStage();
  expect((await once(stage)).exitCode).toBe(1);
  stage.git("checkout", "--quiet", "README.md");
  stage.git("merge", "--quiet", "--ff-only", "story/auto-1");
  const main = stage.git("rev-parse", "main");
  const ended = await once(stage);
  expect([ended.exitCode, runs()], ended.stderr).toEqual([0, 1]);
  expect(stage.tasks()).toEqual({ "1": "completed" });
  expect(stage.task("1").metadata).toBeUndefined();
  expect(stage.git("rev-parse", "main")).toBe(main);
});
