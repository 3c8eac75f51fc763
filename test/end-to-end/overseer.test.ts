// `saga auto --oversee`, built, with its real daemon, workers and Claude Code on a scripted model.

import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, watch, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Reply } from "../../src/rehearsal/model-server.ts";
import { say, type AgentStep } from "../../src/rehearsal/scripted-agent.ts";
import { isRunning, readDaemons } from "../../src/tasks/daemon-files.ts";
import {
  bash,
  CONFIG,
  finish,
  newPoolStage,
  worker,
  type PoolAgent,
  type PoolStage,
} from "../support/pool-stage.ts";

const QUICK = CONFIG.replace("[auto]\n", "[auto]\nworkers = 1\nrepair_pause = 0.1\nrepairs = 2\n");
const NOTICES = '[notices]\nbell = false\ncommand = "cat >> notices.jsonl"\n';

/** Works on tasks as usual; in a repair it takes these steps. */
const repairing =
  (steps: () => readonly AgentStep[], work: PoolAgent = worker()): PoolAgent =>
  (turn): Reply | Promise<Reply> =>
    turn.taskId === "" ? say(steps()[turn.calls.length] ?? "It is repaired.") : work(turn);

const rewrite = (file: string, content: string): AgentStep[] => [
  { tool: "Read", input: { file_path: file } },
  { tool: "Write", input: { file_path: file, content } },
];

const aTask = (id: string): string =>
  JSON.stringify({
    id,
    subject: `Do ${id}`,
    description: "",
    status: "pending",
    blocks: [],
    blockedBy: [],
  });

const notices = ({ path }: PoolStage): Record<string, unknown>[] =>
  existsSync(join(path, "notices.jsonl"))
    ? readFileSync(join(path, "notices.jsonl"), "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as Record<string, unknown>)
    : [];

const daemonOf = ({ path }: PoolStage): number =>
  readDaemons(path).find(isRunning)?.daemon.process.pid ?? 0;

describe("a pool with `auto.oversee`", () => {
  const config = CONFIG.replace("[delivery]", "oversee = true\n[delivery]");

  it("is overseen without an option, and not with --no-oversee", async () => {
    const stage = await newPoolStage({ config });
    stage.addTask("1");
    const overseen = await stage.auto("--once", "--json").ended;
    expect(overseen.exitCode, overseen.stderr).toBe(0);
    expect(JSON.parse(overseen.stdout)).toMatchObject({
      completed: ["1"],
      overseer: { starts: 1, repairs: 0 },
    });
    const alone = await stage.auto("--once", "--json", "--no-oversee").ended;
    expect(JSON.parse(alone.stdout)).not.toHaveProperty("overseer");
  });
});

describe("an overseen pool", () => {
  it("is repaired when a task file is invalid, and runs to the end", async () => {
    const stage: PoolStage = await newPoolStage({
      config: QUICK,
      agent: repairing(() => rewrite(join(stage.list, "2.json"), aTask("2"))),
    });
    stage.addTask("1");
    writeFileSync(join(stage.list, "2.json"), aTask("2").slice(0, -5));
    const { exitCode, stdout } = await stage.auto("--oversee", "--once", "--json").ended;
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      ended: "done",
      overseer: { starts: 2, repairs: 1, gaveUp: null },
    });
    expect(stage.tasks()).toEqual({ "1": "completed", "2": "completed" });
    expect(stage.merged().toSorted()).toEqual(["1", "2"]);
    const [copy = ""] = readdirSync(join(stage.path, ".saga/auto/repairs"));
    expect(existsSync(join(stage.path, ".saga/auto/repairs", copy, "list/2.json"))).toBe(true);
    expect(stage.git("status", "--porcelain", "--", ".saga")).not.toContain("auto");
  });

  it("is repaired when it does not start because of its context file", async () => {
    const file = ".claude/saga_task_context.toml";
    const stage: PoolStage = await newPoolStage({
      config: QUICK,
      agent: repairing(() => rewrite(join(stage.path, file), '[default]\nepilogue = "Thanks."\n')),
    });
    mkdirSync(join(stage.path, ".claude"));
    stage.write(file, "[default]\nepilogue = Thanks\n");
    stage.addTask("1");
    const { exitCode, stderr } = await stage.auto("--oversee", "--once").ended;
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
    expect(stage.tasks()).toEqual({ "1": "completed" });
    expect(stderr).toContain("context");
  });

  it("that cannot be repaired is given up, with one notification", async () => {
    const stage = await newPoolStage({ config: `${QUICK}${NOTICES}`, agent: repairing(() => []) });
    stage.addTask("1", { blockedBy: ["99"] });
    const { exitCode, stdout, stderr } = await stage.auto("--oversee").ended;
    expect(exitCode).toBe(1);
    expect(stdout).toContain("The overseer gave up.");
    expect(stderr).toContain("Attempt 2 of 2");
    expect(notices(stage)).toMatchObject([
      {
        kind: "pool",
        title: "Pool: the pool on chores has stopped",
        text: expect.stringContaining("99") as string,
      },
    ]);
    expect(stage.tasks()).toEqual({ "1": "pending" });
  });

  it("whose daemon is killed is restarted, and loses no task", async () => {
    let isFirst = true;
    const killed: PoolAgent = (turn) => {
      if (!isFirst) return worker()(turn);
      isFirst = false;
      process.kill(daemonOf(stage), "SIGKILL");
      return { kind: "hang" };
    };
    const stage: PoolStage = await newPoolStage({ config: QUICK, agent: killed });
    stage.addTask("1");
    const { exitCode, stderr } = await stage.auto("--oversee", "--once").ended;
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
    expect(stderr).toContain("crashed: The pool was ended by SIGKILL.");
    expect(stage.tasks()).toEqual({ "1": "completed" });
  });

  it("stops its daemon first on a stop, which returns its tasks", async () => {
    const stage = await newPoolStage({ config: QUICK, agent: () => ({ kind: "hang" }) });
    stage.addTask("1");
    const pool = stage.auto("--oversee");
    await pool.until("auto-1 started task 1");
    pool.child.kill("SIGTERM");
    expect((await pool.ended).exitCode).toBe(0);
    expect(stage.tasks()).toEqual({ "1": "pending" });
    expect(readDaemons(stage.path).filter(isRunning)).toEqual([]);
  });

  it("ends when a person stops the pool", async () => {
    const stage = await newPoolStage({ config: QUICK, agent: () => ({ kind: "hang" }) });
    stage.addTask("1");
    const pool = stage.auto("--oversee");
    await pool.until("auto-1 started task 1");
    await stage.run("auto", "stop");
    expect((await pool.ended).exitCode).toBe(0);
  });

  it("runs in a session of its own, with its caller's environment", async () => {
    const stage: PoolStage = await newPoolStage({
      config: `${QUICK}[claude]\npass_env = ["GREETING"]\n`,
      agent: repairing(
        () => rewrite(join(stage.list, "2.json"), aTask("2")),
        worker({ "2": [bash("echo $GREETING > greeting"), finish()] }),
      ),
    });
    writeFileSync(join(stage.list, "2.json"), "{");
    const env = { GREETING: "hello" };
    const { exitCode } = await stage.runWith({ env }, "auto", "--oversee", "--once", "--detach");
    expect(exitCode).toBe(0);
    await untilEmpty(stage);
    expect(stage.tasks()).toEqual({ "2": "completed" });
    expect(stage.read("greeting")).toBe("hello\n");
  });
});

/** Until no session is left: looked at with each change of the list, and now and then. */
async function untilEmpty(stage: PoolStage): Promise<void> {
  const changes = watch(stage.list, { persistent: false });
  const slow = setInterval(() => changes.emit("change"), 500);
  try {
    while (stage.sessions().length > 0) await once(changes, "change");
  } finally {
    clearInterval(slow);
    changes.close();
  }
}
