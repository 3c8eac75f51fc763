import { setTimeout as wait } from "node:timers/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { defaults } from "../../test/support/default-settings.ts";
import { newFolder } from "../../test/support/project.ts";
import { openGit } from "../machine/programs/git.ts";
import { newRedactor } from "../machine/files/redact.ts";
import { startRecording } from "../store/runs/run-recorder.ts";
import { layoutOf } from "../store/project/layout.ts";
import { startRun } from "../store/runs/runs.ts";
import type { RunEvent } from "../story/state/run.ts";
import type { Agent, AgentRequest, ToolCall, Usage } from "./agent.ts";
import { newCostMeter } from "./cost.ts";
import type { AgentJob, Employer, JobHooks } from "./job.ts";
import { runAgent } from "./run-agent.ts";
import { sagaTool, type SagaTool } from "./saga-tool.ts";
import type { ScopeVerdict } from "./scope/scope.ts";

/** An agent without a program: it does what the test says. */
const agentThat = (act: (request: AgentRequest) => Promise<void>): Agent => ({
  preload: () => undefined,
  priceOf: () => 1,
  ownFiles: () => [],
  removeOwnFiles: () => undefined,
  async run(request) {
    await act(request);
    const kind = request.stop.aborted ? "stopped" : "ended";
    return { outcome: { kind }, conversation: "c1", model: "m1" };
  },
});

const untilStopped = ({ stop }: AgentRequest): Promise<void> =>
  wait(60_000, undefined, { signal: stop }).catch(() => undefined);

function newEmployer(agent: Agent): Employer & { readonly events: RunEvent[] } {
  const events: RunEvent[] = [];
  const log = startRun(layoutOf(newFolder().path), "a-story", Date.now());
  const record = startRecording(log, Date.now, (event) => events.push(event), newRedactor([]));
  return {
    agent,
    env: { HOME: "/home" },
    now: Date.now,
    stop: new AbortController().signal,
    settings: defaults,
    record,
    meter: newCostMeter(record, agent),
    events,
  };
}

const aJob = (hooks: Partial<JobHooks> = {}, more: Partial<AgentJob> = {}): AgentJob => ({
  folder: "/work",
  taskListId: "saga__a__1",
  variables: {},
  prompt: "Do it.",
  model: "opus",
  timeoutMs: 60_000,
  maxCostUsd: undefined,
  tools: [],
  requiredTools: [],
  hooks: () => ({
    sagaTools: [],
    judge: () => ({ isAllowed: true }),
    tasks: "No tasks.",
    ...hooks,
  }),
  ...more,
});

const call = (id: string): ToolCall => ({ id, tool: "Read", input: {}, cwd: "/work" });

const usage: Usage = {
  answerId: "a1",
  model: "m1",
  inputTokens: 1,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  cacheWriteHourTokens: 0,
  outputTokens: 1,
  characters: 0,
};

describe("every agent run", () => {
  it("ends at its time limit", async () => {
    const employer = newEmployer(agentThat(untilStopped));
    const result = await runAgent(employer, aJob({}, { timeoutMs: 10 }));
    expect(result).toMatchObject({ hasTimedOut: true, end: { outcome: { kind: "stopped" } } });
  });

  it("ends when an answer exceeds its budget, and is billed what it used", async () => {
    const agent = agentThat(async (request) => {
      request.meter.used(usage);
      await untilStopped(request);
    });
    const employer = newEmployer(agent);
    const { end } = await runAgent(employer, aJob({}, { maxCostUsd: 0.5 }));
    expect(end.outcome).toMatchObject({ kind: "over-budget" });
    expect(employer.record.run().costUsd).toBe(1);
    expect(employer.events).toContainEqual(
      expect.objectContaining({ type: "agent.billed", costUsd: 1, isEstimate: true }),
    );
  });

  it("has every call judged and recorded with its answer", async () => {
    const agent = agentThat(async ({ hooks, onAnswer }) => {
      await hooks.beforeTool(call("t1"));
      onAnswer({ id: "t1", isError: false, response: {} });
      await hooks.beforeTool(call("t2"));
      onAnswer({ id: "t2", isError: true, response: "No." });
    });
    const employer = newEmployer(agent);
    const judge = ({ id }: ToolCall): ScopeVerdict =>
      id === "t1" ? { isAllowed: true } : { isAllowed: false, reason: "No." };
    await runAgent(employer, aJob({ judge }));
    expect(employer.events.map(({ type, ...event }) => [type, event["id"]])).toEqual([
      ["tool.called", "t1"],
      ["tool.answered", "t1"],
      ["tool.refused", "t2"],
    ]);
  });

  it("is refused every call after its final answer", async () => {
    const verdicts: ScopeVerdict[] = [];
    const agent = agentThat(async ({ hooks, sagaTools }) => {
      await sagaTools[0]?.run({});
      verdicts.push(await hooks.beforeTool(call("t1")));
    });
    const job = aJob();
    const employer = newEmployer(agent);
    await runAgent(employer, {
      ...job,
      hooks: (control) => ({
        ...job.hooks(control),
        sagaTools: [finishTool(() => control.finish("Recorded. End your turn."))],
      }),
    });
    expect(verdicts).toEqual([{ isAllowed: false, reason: "Recorded. End your turn." }]);
  });

  it("may not complete a task when its job has none", async () => {
    const verdicts: ScopeVerdict[] = [];
    const agent = agentThat(async ({ hooks }) => {
      verdicts.push(await hooks.beforeCompletion("a"));
    });
    await runAgent(newEmployer(agent), aJob({ tasks: "This run only reads." }));
    expect(verdicts).toEqual([{ isAllowed: false, reason: "This run only reads." }]);
  });

  it("waits until the changes of its last call are written", async () => {
    const order: string[] = [];
    const agent = agentThat(async ({ hooks }) => {
      void hooks.afterTaskChange({ taskId: "a", to: "completed" });
    });
    const tasks = {
      mayComplete: async () => ({ isAllowed: true }) as const,
      async onChange() {
        await wait(20);
        order.push("written");
      },
    };
    await runAgent(
      newEmployer(agent),
      aJob({ tasks, settled: async () => void order.push("end") }),
    );
    expect(order).toEqual(["written", "end"]);
  });

  it("that is stuck says why, and records its conversation only if a later run may continue it", async () => {
    const settings = { ...defaults, watch: { ...defaults.watch, checkInMinutes: 0.0005 } };
    const employer = { ...newEmployer(agentThat(untilStopped)), settings };
    const { stuck } = await runAgent(employer, aJob());
    expect(stuck).toContain("The agent used no tool for");
    expect(employer.record.run().conversation).toBeUndefined();
    await runAgent(employer, aJob({}, { conversation: { resume: undefined } }));
    expect(employer.record.run()).toMatchObject({ conversation: "c1", model: "m1" });
  });

  it("leaves no timer running when there is no place to work in", async () => {
    const gone = join(newFolder().path, "gone");
    const settings = { ...defaults, claude: { ...defaults.claude, sandbox: true } };
    const employer = { ...newEmployer(agentThat(untilStopped)), settings };
    const repository = { git: openGit(gone, process.env), commonDir: gone };
    const timers = (): number =>
      process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
    const before = timers();
    const job = aJob({}, { shell: { gitDir: gone, repository } });
    await expect(runAgent(employer, job)).rejects.toThrow("gone");
    expect(timers()).toBe(before);
  });
});

const finishTool = (act: () => void): SagaTool =>
  sagaTool("finish", "Ends it.", {}, () => {
    act();
    return { text: "Recorded." };
  });
