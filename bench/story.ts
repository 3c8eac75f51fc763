// What Saga adds to the agent's own time: a whole story, a tool call, a task list.

import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { query } from "@anthropic-ai/claude-agent-sdk";
import { agentEnvironment } from "../src/claude/environment.ts";
import { optionsOf } from "../src/claude/headless.ts";
import type { AgentHooks } from "../src/claude/hooks.ts";
import { createTaskList, removeTaskList, taskListFolder } from "../src/claude/task-list.ts";
import { newRedactor } from "../src/machine/redact.ts";
import { startModel, type Script } from "../src/rehearsal/model-server.ts";
import { obedient } from "../src/rehearsal/obedient.ts";
import { rehearsalEnvironment } from "../src/rehearsal/stage-home.ts";
import { stepsOfTask } from "../src/rehearsal/steps.ts";
import { openStore } from "../src/store/file-store.ts";
import { toClaudeTasks } from "../src/story/claude-task.ts";
import { taskSchema, type Task } from "../src/story/task.ts";
import { agentHooks } from "../src/worker/agent-hooks.ts";
import { newBoard } from "../src/worker/board.ts";
import { keepRecord } from "../src/store/run-record.ts";
import type { PlacedWork } from "../src/worker/work.ts";
import { boundFigure, median, ratioFigure, sideBySide, type Figure } from "./table.ts";

const ROUNDS = 5;
const TOOL_CALLS = 50;
const HOOK_ROUNDS = 6;
const LIST_ID = "saga__bench__1";

interface Bench {
  readonly saga: string;
  readonly claude: string;
  readonly folder: string;
}

export async function storyFigures(bench: Bench): Promise<Figure[]> {
  const tasks = threeTasks();
  const script = obedient((taskId) => stepsOfTask(taskId, undefined));
  const floors: number[] = [];
  const totals: number[] = [];
  const steps = new Map<string, number[]>();
  for (let round = 0; round < ROUNDS; round++) {
    floors.push((await bareRun(bench, tasks, script)).ms);
    const story = await sagaRun(bench, tasks, script);
    totals.push(story.ms);
    for (const [step, ms] of story.steps) steps.set(step, [...(steps.get(step) ?? []), ms]);
  }
  const addedMs = median(totals) - median(floors);
  const stepMs = [...steps].map(([step, ms]) => [step, median(ms)] as const);
  const restMs = addedMs - stepMs.reduce((sum, [, ms]) => sum + ms, 0);
  return [
    boundFigure("a story of three tasks: all that Saga adds to the agent's time", addedMs, 1000),
    ...stepMs.map(([step, ms]) => boundFigure(`  of that, ${step}`, ms, 1000)),
    boundFigure("  of that, the rest: hooks, status, three commits", restMs, 1000),
  ];
}

/**
 * What the hooks cost for each tool call: the time spent in them, and what the agent as a whole is
 * slower with them. Of the latter the best of several runs counts, because the time from one question
 * of the agent to its next varies by ten times what is measured.
 */
export async function hookFigures(bench: Bench): Promise<Figure[]> {
  const read = { tool: "Read", input: { file_path: "README.md" } };
  const script = obedient(() => Array.from({ length: TOOL_CALLS }, () => read));
  const tasks = threeTasks().slice(0, 1);
  const bare: number[] = [];
  const hooked: number[] = [];
  const inside: number[] = [];
  for (let round = 0; round < HOOK_ROUNDS; round++) {
    bare.push(median((await bareRun(bench, tasks, script)).turnsMs));
    const hooks = async (project: string): Promise<AgentHooks> =>
      timedHooks(await workerHooks(project, tasks), inside);
    hooked.push(median((await bareRun(bench, tasks, script, hooks)).turnsMs));
  }
  const name = `hooks, for each of ${TOOL_CALLS} tool calls`;
  return [
    boundFigure(`${name}: inside the worker`, median(inside), 1),
    boundFigure(
      `${name}: with the agent's way to them and back`,
      Math.max(0, Math.min(...hooked) - Math.min(...bare)),
      1,
    ),
  ];
}

function timedHooks(hooks: AgentHooks, timesMs: number[]): AgentHooks {
  const timing =
    <A, R>(act: (given: A) => R) =>
    async (given: A): Promise<Awaited<R>> => {
      const from = performance.now();
      const result = await act(given);
      timesMs.push(performance.now() - from);
      return result;
    };
  return { ...hooks, beforeTool: timing(hooks.beforeTool) };
}

/** The real ones, with a real record, on a task without checks. */
async function workerHooks(project: string, tasks: readonly Task[]): Promise<AgentHooks> {
  const store = openStore(project);
  const log = await store.startRun("bench");
  const record = keepRecord(log, Date.now, () => undefined, newRedactor([]));
  const work = {
    board: newBoard(tasks),
    record,
    around: { now: Date.now, stop: new AbortController().signal },
    worktree: project,
  } as unknown as PlacedWork;
  const state = { isBlocked: false, worked: 0, inHand: undefined, isCompleting: false };
  const watch = { called: () => undefined, answered: () => undefined, aside: () => undefined };
  const scope = { project, worktree: project, storyId: "bench", readable: [] };
  const hooks = agentHooks(work, { scope, env: {}, state, watch, stop: work.around.stop });
  // The commit at the end is not what is measured here.
  return { ...NO_HOOKS, beforeTool: hooks.beforeTool };
}

/** A thousand tasks as a list of Claude's, against writing the same files. */
export async function hydrateFigure(folder: string): Promise<Figure> {
  const task = (at: number): Task =>
    taskSchema.parse({
      id: `task-${at}`,
      subject: `Task ${at}`,
      description: "Do it. ".repeat(30),
    });
  const tasks = toClaudeTasks(Array.from({ length: 1000 }, (_, at) => task(at)));
  const texts = tasks.map((one) => [one.id, JSON.stringify(one, undefined, 2)] as const);
  const bare = join(folder, "bare-list");
  const list = join(folder, "list");
  const { floorMs, oursMs } = await sideBySide(
    15,
    () => {
      rmSync(bare, { recursive: true, force: true });
      mkdirSync(bare);
      for (const [id, text] of texts) writeFileSync(`${bare}/${id}.json`, text);
    },
    () => {
      removeTaskList(list);
      createTaskList(list, tasks);
    },
  );
  return ratioFigure("hydrate 1,000 tasks, against a bare loop of writes", floorMs, oursMs, 1.5);
}

interface Measured {
  readonly ms: number;
  /** Between two questions of the agent. */
  readonly turnsMs: readonly number[];
}

/** The agent alone: the same list, the same script, no worker around it. */
async function bareRun(
  bench: Bench,
  tasks: readonly Task[],
  script: Script,
  hooksIn?: (project: string) => Promise<AgentHooks>,
): Promise<Measured> {
  const { project, env, model, turnsMs } = await scene(bench, tasks, script);
  const list = taskListFolder(env, LIST_ID);
  createTaskList(list, toClaudeTasks(tasks));
  const from = performance.now();
  const { hooks, ...options } = optionsOf({
    claude: bench.claude,
    cwd: project,
    env: agentEnvironment(env, { taskListId: LIST_ID, story: {}, pass: [] }),
    taskListId: LIST_ID,
    model: "opus",
    resume: undefined,
    maxCostUsd: undefined,
    moreTools: [],
    sandbox: undefined,
    hooks: (await hooksIn?.(project)) ?? NO_HOOKS,
  });
  const run = query({
    prompt: "Execute the tasks in the task list.",
    options: hooksIn && hooks ? { ...options, hooks } : options,
  });
  for await (const message of run) void message;
  const ms = performance.now() - from;
  await model.close();
  return { ms, turnsMs: turnsMs() };
}

async function sagaRun(
  bench: Bench,
  tasks: readonly Task[],
  script: Script,
): Promise<Measured & { readonly steps: ReadonlyMap<string, number> }> {
  const { project, env, model, turnsMs } = await scene(bench, tasks, script);
  const { spawn } = await import("node:child_process");
  const child = spawn(process.execPath, [bench.saga, "worker", "bench", "-C", project], {
    env,
    stdio: "ignore",
  });
  const exitCode = await new Promise((resolve) => child.once("exit", resolve));
  await model.close();
  if (exitCode !== 0) throw new Error(`The story ended with ${String(exitCode)}.`);
  const store = openStore(project);
  const [run] = await store.listRuns("bench");
  const { events } = await store.readEvents("bench", run?.id ?? "");
  const ended = events.find(({ type }) => type === "run.ended");
  const steps = new Map(
    events.flatMap((event) =>
      event.type === "step.done" ? [[String(event["step"]), Number(event["ms"])] as const] : [],
    ),
  );
  return { ms: Number(ended?.["ms"]), turnsMs: turnsMs(), steps };
}

const NO_HOOKS: AgentHooks = {
  beforeTool: () => ({ isAllowed: true }),
  afterTaskUpdate: () => undefined,
  beforeCompletion: () => ({ isAllowed: true }),
};

let scenes = 0;

async function scene({ folder }: Bench, tasks: readonly Task[], script: Script) {
  const home = join(folder, `scene-${scenes++}`);
  const project = join(home, "project");
  mkdirSync(join(project, ".saga/stories/bench"), { recursive: true });
  const asked: number[] = [];
  const model = await startModel((turn) => {
    asked.push(performance.now());
    return script(turn);
  });
  const given = rehearsalEnvironment(
    { PATH: process.env["PATH"], HOME: home, GIT_CONFIG_GLOBAL: "/dev/null" },
    { folder: home, modelUrl: model.url() },
  );
  const env = {
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
    SAGA_SESSION_DIR: join(home, "sessions"),
  } as Record<string, string>;
  const story = { id: "bench", title: "Bench", description: "Measured." };
  writeFileSync(join(project, "README.md"), "# Bench\n");
  writeFileSync(join(project, ".saga/.gitignore"), "worktrees/\nruns/\nleases/\n");
  writeFileSync(join(project, ".saga/stories/bench/story.json"), JSON.stringify(story));
  for (const task of tasks) {
    const file = join(project, `.saga/stories/bench/${task.id}.json`);
    writeFileSync(file, JSON.stringify(task));
  }
  const git = (...args: string[]): Buffer =>
    execFileSync("git", ["-c", "user.name=B", "-c", "user.email=b@example.com", ...args], {
      cwd: project,
      env,
    });
  git("init", "--quiet", "--initial-branch=main");
  git("add", "--all");
  git("commit", "--quiet", "--message=First");
  const turnsMs = (): number[] => asked.slice(1).map((at, index) => at - (asked[index] ?? at));
  return { project, env, model, turnsMs };
}

const threeTasks = (): Task[] =>
  ["first", "second", "third"].map((id, at, all) =>
    taskSchema.parse({
      id,
      subject: `Do ${id}`,
      description: "A step.",
      blockedBy: at === 0 ? [] : [all[at - 1]],
    }),
  );
