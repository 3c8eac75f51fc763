// What a run costs is known while it works, and stays known however it ends.

import { expect, it } from "vitest";
import type { Reply, Script, Turn } from "../../src/rehearsal/model-server.ts";
import type { Run } from "../../src/story/state/run.ts";
import { aTask, anEpic, aStory } from "../support/project.ts";
import { CONFIG, finish, newPoolStage, worker, write } from "../support/pool-stage.ts";
import { follows, newStage, STORY, type Stage } from "../support/stage.ts";
import { expectExit } from "../support/expect-exit.ts";

/** $0.40 for each turn: what goes into the model is dear, what it says is next to nothing. */
const DEAR = { input_tokens: 100_000, output_tokens: 0 };
const TURN_USD = 0.4;

/** Works for this many turns, and then never answers again. */
function dear(turns = Infinity): { readonly script: Script; readonly sent: Turn[] } {
  const scriptedAgent = follows();
  const sent: Turn[] = [];
  const script: Script = async (turn): Promise<Reply> => {
    sent.push(turn);
    if (sent.length > turns) return { kind: "hang" };
    const reply = await scriptedAgent(turn);
    return reply.kind === "say" ? { ...reply, usage: DEAR } : reply;
  };
  return { script, sent };
}

const lastRun = async ({ store }: Stage): Promise<Run | undefined> =>
  (await store.listRuns(STORY))[0];

/** Started in its session, until its agent has had this many answers. */
async function atWork(turns: number): Promise<Stage> {
  const { script } = dear(turns);
  const stage = await newStage({ script });
  expect((await stage.run("run", STORY)).exitCode).toBe(0);
  await expect
    .poll(async () => (await lastRun(stage))?.costUsd ?? 0)
    .toBeGreaterThanOrEqual(turns * TURN_USD);
  return stage;
}

it("is shown as an estimate while the agent works, and stays when the run is stopped", async () => {
  const stage = await atWork(3);
  const { running } = JSON.parse((await stage.run("status", "--json")).stdout) as {
    running: unknown[];
  };
  expect(running).toMatchObject([{ story: STORY, costIsEstimate: true }]);
  expect((await stage.run("status")).stdout).toContain("~$1.2");

  await stage.run("stop", STORY);
  const run = await lastRun(stage);
  expect(run).toMatchObject({ outcome: "stopped", costIsEstimate: true, inputTokens: 300_000 });
  expect(run?.costUsd).toBeCloseTo(3 * TURN_USD, 2);
  expect((await stage.run("show", STORY)).stdout).toMatch(/stopped .* ~\$1\.2/);
  expect((await stage.run("logs", STORY)).stdout).toMatch(/stopped .* ~\$1\.2/);
  expect(await stage.events("agent.billed")).toMatchObject([{ isEstimate: true }]);
});

it("stays when the worker is killed: not one answer is lost", async () => {
  const stage = await atWork(3);
  const worker = (await lastRun(stage))?.worker?.pid ?? 0;
  process.kill(worker, "SIGKILL");
  const run = await lastRun(stage);
  expect(run).toMatchObject({ costIsEstimate: true, inputTokens: 300_000 });
  expect(run?.costUsd).toBeCloseTo(3 * TURN_USD, 2);
  // The next worker leaves it as it is.
  await stage.run("stop", STORY);
  const runs = await stage.store.listRuns(STORY);
  expect(runs.find(({ id }) => id === run?.id)?.costUsd).toBe(run?.costUsd);
});

it("is what Claude Code reports when the run has ended normally", async () => {
  const { script, sent } = dear();
  const stage = await newStage({ script });
  expect((await stage.work()).exitCode).toBe(0);
  const run = await lastRun(stage);
  expect(run).toMatchObject({ outcome: "done", costIsEstimate: false });
  expect(run?.costUsd).toBeCloseTo(sent.length * TURN_USD, 6);
});

it("ends the run at its limit, even within an answer, and the model does not see a budget", async () => {
  const { script, sent } = dear();
  const stage = await newStage({ script, tasks: [aTask("form")] });
  const ended = await expectExit(2, stage.work("--max-cost", "1", "--json"));
  expect(JSON.parse(ended.stdout)).toMatchObject({
    outcome: "limit",
    reason: "Cost limit reached ($1.00).",
    costIsEstimate: true,
  });
  const run = await lastRun(stage);
  expect(run?.costUsd).toBeGreaterThanOrEqual(1);
  expect(run?.costUsd).toBeLessThan(1 + 2 * TURN_USD);
  expect(JSON.stringify(sent)).not.toContain("USD budget");
});

/** The first five turns cost $1.05, the later ones next to nothing. An agent that learns of the budget ends its turn. */
async function spending(turn: Turn, agent: Script): Promise<Reply> {
  const text = JSON.stringify(turn.messages);
  if (text.includes("Start nothing new.")) {
    return { kind: "say", blocks: [{ type: "text", text: "The form is half done." }] };
  }
  const reply = await agent(turn);
  const isEarly = turn.messages.filter(({ role }) => role === "assistant").length < 5;
  const usage = { input_tokens: isEarly ? 52_500 : 10, output_tokens: 0 };
  return reply.kind === "say" ? { ...reply, usage } : reply;
}

it("drains the agent at its limit: it ends its turn, its work is committed, and a later run continues", async () => {
  const steps = { form: ["one", "two", "three"].map((name) => ({ write: name, content: name })) };
  let isDrained = false;
  const script: Script = async (turn) => {
    if (isDrained) return follows(steps)(turn);
    const reply = await spending(turn, follows(steps));
    isDrained = JSON.stringify(reply).includes("half done");
    return reply;
  };
  const stage = await newStage({ script, config: "[budget]\nday = 1\n" });
  expect((await stage.work()).exitCode).toBe(2);
  const [run] = await stage.store.listRuns(STORY);
  expect(run).toMatchObject({ outcome: "limit", limit: "budget", costIsEstimate: false });
  expect((await stage.run("status")).stdout).toMatch(
    /add-login .*\n.*The budget of this day is spent: the last \$1\.00 went to this story\./,
  );
  expect((await stage.run("status")).stdout).toContain("saga resume add-login");
  expect(stage.git("-C", stage.worktree, "status", "--porcelain")).toBe("");
  expect(stage.git("log", "-1", "--format=%s", `story/${STORY}`)).toContain("(a part)");
  expect(stage.git("ls-tree", "--name-only", `story/${STORY}`)).toContain("one");
  expect((await stage.run("run", STORY)).stderr).toContain("the budget of this day is spent");
  await stage.run("config", "set", "budget.day", "50");
  await expectExit(0, stage.work());
});

it("pauses the pool when the day's budget is spent, and its task is not counted as failed", async () => {
  const files = [1, 2, 3, 4, 5, 6].map((n) => write(`work/${n}.md`, "Some work.\n"));
  const tasks = worker({ "1": [...files, finish()] });
  const stage = await newPoolStage({
    config: `${CONFIG}[budget]\nday = 1\n`,
    agent: (turn) => spending(turn.turn, () => tasks(turn)),
  });
  stage.addTask("1");
  stage.addTask("2", { blockedBy: ["1"] });
  const pool = stage.auto("--workers", "1", "--once", "--json");
  const ended = await expectExit(2, pool.ended);
  expect(JSON.parse(ended.stdout)).toMatchObject({ ended: "budget", failed: [], completed: [] });
  // It may look while the task still has the rest of the budget, or after it has spent that.
  expect(ended.stderr).toMatch(
    /The pool starts no task for now: (?:The budget of this day is spent|Too little of this day's budget is left)/,
  );
  expect(stage.tasks()).toEqual({ "1": "pending", "2": "pending" });
  expect(stage.task("1").metadata ?? {}).not.toHaveProperty("saga.attempts");
  expect(stage.git("show", `${stage.keeps()[0]}:work/1.md`)).toBe("Some work.");
});

it("includes that of its reviewer", async () => {
  const scriptedAgent = follows();
  const script: Script = async (turn) => {
    const isReviewer = turn.tools.includes("mcp__saga__verdict");
    if (!isReviewer) return scriptedAgent(turn);
    const has = JSON.stringify(turn.messages).includes("mcp__saga__verdict");
    const input = { isPassed: true, summary: "It is fine.", findings: [] };
    return {
      kind: "say",
      blocks: has
        ? [{ type: "text", text: "Done." }]
        : [{ type: "tool_use", name: "mcp__saga__verdict", input }],
      usage: DEAR,
    };
  };
  const stage = await newStage({ script, story: { needsReview: true } });
  await expectExit(0, stage.work());
  expect((await lastRun(stage))?.costUsd).toBeGreaterThan(TURN_USD);
});

it("of all stories stays within the limit of the epic's run, which reports it", async () => {
  const stage = await newStage({
    script: dear().script,
    config: '[delivery]\nkind = "epic-branch"\n',
  });
  const ids = ["shop--a", "shop--b", "shop--c"];
  const children = ids.map((id, at) => ({ id, blockedBy: ids.slice(0, at) }));
  stage.write(".saga/epics/shop/epic.json", anEpic("shop", children));
  for (const id of ids) {
    stage.write(`.saga/stories/${id}/story.json`, aStory(id, { epic: "shop" }));
    stage.write(`.saga/stories/${id}/work.json`, aTask("work"));
  }
  stage.git("add", "--all");
  stage.git("commit", "--quiet", "--message=Plan");

  const alone = 2.8;
  const ended = await expectExit(
    2,
    stage.run("epic", "run", "shop", "--max-cost", String(alone + 1)),
  );
  expect(ended.stdout).toMatch(/Cost limit reached: ~\$[34]\.\d\d of \$3\.80 spent in this run\./);
  const costs = await Promise.all(
    ids.map(async (id) =>
      (await stage.store.listRuns(id)).reduce((sum, run) => sum + run.costUsd, 0),
    ),
  );
  expect(costs[0]).toBeCloseTo(alone, 1);
  expect(costs[1]).toBeLessThan(1 + 2 * TURN_USD);
  expect(costs[2]).toBe(0);
  const second = (await stage.store.listRuns("shop--b")).find(({ worker }) => worker !== undefined);
  expect(second).toMatchObject({ outcome: "limit", costIsEstimate: true });
});
