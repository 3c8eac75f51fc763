// The other employers, and what goes wrong, with another agent than Claude Code.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readReceipts } from "../../src/store/runs/receipts.ts";
import { claudeTask } from "../support/claude-list.ts";
import { lineAgent, type LineJobs } from "../support/line-agent.ts";
import { LINE_POOL_CONFIG, newLinePool } from "../support/line-pool.ts";
import { workInLines } from "../support/line-work.ts";
import { PARTS } from "../support/planner.ts";
import { aTask } from "../support/project.ts";
import { expectNothingLeft, newStage, STORY } from "../support/stage.ts";

const call = (tool: string, input: Readonly<Record<string, unknown>>) =>
  ({ do: "call", tool, input }) as const;

const update = (taskId: string, status: string) => call("TaskUpdate", { taskId, status });

const finish = (outcome = "done") => call("mcp__saga__finish", { outcome, summary: "It is done." });

const verdict = (...findings: readonly string[]) =>
  call("mcp__saga__verdict", {
    isPassed: findings.length === 0,
    summary: "It was tried.",
    findings: findings.map((message) => ({ message })),
  });

const propose = (tasks: readonly Readonly<Record<string, unknown>>[]) =>
  call("mcp__saga__propose_split", { tasks });

const file = (path: string, text = `${path}\n`) => ({ do: "write", path, text }) as const;
const LIMIT = { do: "limit" } as const;
const SHORT_PAUSE = "[limits]\npause = 0.1\n";

async function poolWith(jobs: LineJobs, config = "") {
  const stage = await newStage({ config: `${LINE_POOL_CONFIG}${config}` });
  const agent = lineAgent({}, jobs);
  return { stage, agent, pool: await newLinePool(stage, agent) };
}

describe("a task of the pool, with an agent that speaks JSON lines", () => {
  it("is committed, judged and merged", async () => {
    const { stage, pool } = await poolWith({ finish: [[file("chore.txt"), finish()]] });
    pool.addTask("1", { metadata: { checks: ["test -e chore.txt"] } });
    expect(await pool.take("1")).toMatchObject({ kind: "completed" });
    expect(stage.git("show", "main:chore.txt")).toBe("chore.txt");
    expect(pool.task("1").status).toBe("completed");
    expect(stage.model.turns()).toBe(0);
  });

  it("is fixed in the same conversation, however long its checks take", async () => {
    const isFixed = "test -e fixed.txt";
    const { pool, agent } = await poolWith(
      {
        finish: [
          [file("chore.txt"), finish()],
          [file("fixed.txt"), finish()],
        ],
      },
      "[run]\nmax_minutes = 0.04\n",
    );
    pool.addTask("1", { metadata: { checks: [`${isFixed} || sleep 0.8; ${isFixed}`] } });
    const result = await pool.take("1");
    expect(result, result.reason).toMatchObject({ kind: "completed" });
    expect(agent.runs.map(({ resume }) => resume)).toEqual([undefined, "line-1"]);
    expect(agent.runs[1]?.prompt).toContain(isFixed);
  });

  it("continues its conversation after a usage limit, which counts as no run", async () => {
    const { stage, pool, agent } = await poolWith(
      { finish: [[file("chore.txt"), LIMIT], [finish()]] },
      SHORT_PAUSE,
    );
    pool.addTask("1");
    expect(await pool.take("1")).toMatchObject({ kind: "completed" });
    expect(agent.runs.map(({ resume }) => resume)).toEqual([undefined, "line-1"]);
    expect((await stage.store.listRuns("auto-1"))[0]).toMatchObject({ cycles: 1 });
  });

  it("is on hold with its agent's question, and not completed when its agent is killed", async () => {
    const { pool } = await poolWith({
      finish: [[call("mcp__saga__report_blocker", { title: "Which colour?" })], [{ do: "die" }]],
    });
    pool.addTask("1");
    pool.addTask("2");
    expect(await pool.take("1")).toMatchObject({ kind: "held", reason: "Which colour?" });
    expect(await pool.take("2")).toMatchObject({
      kind: "failed",
      reason: expect.stringContaining("SIGKILL") as string,
    });
    expect(pool.task("2").status).toBe("pending");
  });
});

describe("the overseer, with an agent that speaks JSON lines", () => {
  const broken = '{"id": "1", "subject": ';

  it("repairs the list within its scope, and the pool continues", async () => {
    const repaired = JSON.stringify(claudeTask("1"));
    const { stage, pool, agent } = await poolWith({
      repair: [[file("1.json", repaired), file("../planted.json")]],
      finish: [[file("chore.txt"), finish()]],
    });
    pool.write("1.json", broken);
    const result = await pool.repair();
    expect(result).toMatchObject({ kind: "repaired" });
    expect(agent.runs[0]?.prompt).toContain("1.json");
    expect(existsSync(join(pool.list, "../planted.json"))).toBe(false);
    const copy = result.kind === "repaired" ? result.copy : "";
    expect(readFileSync(join(copy, "list/1.json"), "utf8")).toBe(broken);
    expect(await pool.take("1")).toMatchObject({ kind: "completed" });
    expect(stage.git("show", "main:chore.txt")).toBe("chore.txt");
  });

  it("judges by the list and not by the agent, which may complete nothing", async () => {
    const { pool } = await poolWith({
      repair: [[file("2.json", JSON.stringify(claudeTask("2", { status: "completed" })))]],
    });
    pool.write("1.json", broken);
    pool.addTask("2");
    expect(await pool.repair()).toMatchObject({
      kind: "not-repaired",
      why: expect.stringContaining("1.json") as string,
    });
    expect(pool.task("2").status).toBe("pending");
  });

  it("tries later when the account is at its limit", async () => {
    const { pool } = await poolWith({ repair: [[LIMIT]] });
    pool.write("1.json", broken);
    expect(await pool.repair()).toMatchObject({ kind: "limit" });
  });
});

describe("the planner, with an agent that speaks JSON lines", () => {
  it("splits the task of an agent that makes no progress, and the next run does the parts", async () => {
    const stage = await newStage({ config: "[watch]\ncheck_in_minutes = 0.02\n" });
    const agent = lineAgent(
      {},
      {
        propose_split: [[propose([{ id: "fields" }]), file("planned.txt"), propose(PARTS)]],
        journal: [
          [update("form", "in_progress"), { do: "hang" }],
          [
            file("rehearsal/fields.md"),
            update("form", "completed"),
            file("rehearsal/style.md"),
            update("style", "completed"),
            file("page.txt"),
            update("page", "completed"),
          ],
        ],
      },
    );
    const result = await workInLines(stage, agent);
    expect(result, result.reason).toMatchObject({ outcome: "done", cycles: 2 });
    expect(stage.commits()).toEqual(["form", "style", "page"]);
    expect((await stage.events("task.split"))[0]).toMatchObject({ into: ["form", "style"] });
    // A planner only reads.
    expect(existsSync(join(stage.worktree, "planned.txt"))).toBe(false);
    await expectNothingLeft(stage);
  });

  it("asks a person when it has no valid proposal", async () => {
    const stage = await newStage({ config: "[watch]\ncheck_in_minutes = 0.02\n" });
    const agent = lineAgent(
      {},
      {
        propose_split: [[propose([])]],
        journal: [[update("form", "in_progress"), { do: "hang" }]],
      },
    );
    expect(await workInLines(stage, agent)).toMatchObject({ outcome: "blocked" });
    const { open } = await stage.store.readJournal(STORY);
    expect(open).toHaveLength(1);
    await expectNothingLeft(stage);
  });
});

describe("a story, with an agent that speaks JSON lines", () => {
  it("is tested and reviewed by other runs, and what the reviewer finds is fixed", async () => {
    const stage = await newStage({
      tasks: [aTask("form")],
      story: { needsTesting: true, needsReview: true },
    });
    const verdicts = [[verdict()], [verdict("It is too short.")], [verdict()], [verdict()]];
    const agent = lineAgent({}, { verdict: verdicts });
    const result = await workInLines(stage, agent);
    expect(result, result.reason).toMatchObject({ outcome: "done" });
    const { receipts } = await readReceipts({ ...stage, now: Date.now }, STORY);
    const inspected = receipts.filter(({ gate }) => gate === "test" || gate === "review");
    expect(inspected.map(({ gate, isPassed }) => [gate, isPassed])).toEqual([
      ["test", true],
      ["review", false],
      ["test", true],
      ["review", true],
    ]);
    // The task that fixes it is done by the story's agent.
    expect(Object.values(await stage.statuses())).toEqual(["completed", "completed"]);
    await expectNothingLeft(stage);
  });

  it("waits for the end of a usage limit, and continues the conversation", async () => {
    const stage = await newStage({ config: SHORT_PAUSE });
    const agent = lineAgent({ page: [LIMIT, file("page.txt")] });
    expect(await workInLines(stage, agent)).toMatchObject({ outcome: "done", cycles: 1 });
    expect(agent.runs.map(({ resume }) => resume)).toEqual([undefined, "line-1"]);
    expect(await stage.events("limit.reached")).toHaveLength(1);
    expect(stage.commits()).toEqual(["form", "page"]);
  });

  it("fails when its agent is killed, keeps the work, and the next run continues", async () => {
    const stage = await newStage();
    const ended = await workInLines(stage, { page: [file("half.txt"), { do: "die" }] });
    expect(ended).toMatchObject({
      outcome: "failed",
      reason: expect.stringContaining("SIGKILL") as string,
    });
    expect(await stage.statuses()).toEqual({ form: "completed", page: "pending" });
    expect(existsSync(join(stage.worktree, "half.txt"))).toBe(true);
    await expectNothingLeft(stage);
    expect(await workInLines(stage, {})).toMatchObject({ outcome: "done" });
    expect(stage.commits()).toEqual(["form", "page"]);
  });

  it("keeps the order of its tasks and what is completed, whatever its agent asks for", async () => {
    const stage = await newStage();
    const run = [
      file("page.txt"),
      update("page", "completed"),
      update("form", "completed"),
      update("form", "pending"),
      file("more.txt"),
      update("page", "completed"),
    ];
    expect(await workInLines(stage, lineAgent({}, { journal: [run] }))).toMatchObject({
      outcome: "done",
    });
    const refused = await stage.events("task.refused");
    expect(refused[0]?.["reason"]).toContain("form must be completed first");
    expect(stage.commits()).toEqual(["form", "page"]);
  });
});
