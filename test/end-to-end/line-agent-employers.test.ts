// The other employers, and what goes wrong, with another agent than Claude Code.

import { describe, expect, it } from "vitest";
import { lineAgent, type LineJobs } from "../support/line-agent.ts";
import { LINE_POOL_CONFIG, newLinePool } from "../support/line-pool.ts";
import { newStage } from "../support/stage.ts";

const finish = (outcome = "done") =>
  ({ do: "call", tool: "mcp__saga__finish", input: { outcome, summary: "It is done." } }) as const;

const file = (path: string, text = `${path}\n`) => ({ do: "write", path, text }) as const;

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
});
