// What Saga adds to the agent's own time: a whole story, a tool call, a task list.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AgentHooks } from "../src/agent/agent.ts";
import { observedHooks } from "../src/agent/hooks.ts";
import { createTaskList, removeTaskList } from "../src/claude/tasks/list.ts";
import { findProgram } from "../src/machine/processes/find-program.ts";
import { newRedactor } from "../src/machine/files/redact.ts";
import type { Script } from "../src/rehearsal/model-server.ts";
import { scriptedAgent } from "../src/rehearsal/scripted-agent.ts";
import { stepsOfTask } from "../src/rehearsal/steps.ts";
import { openStore } from "../src/store/file-store.ts";
import { startRecording } from "../src/store/runs/run-recorder.ts";
import { toClaudeTasks } from "../src/claude/tasks/format.ts";
import { taskSchema, type Task } from "../src/story/definition/task.ts";
import { storyAgentHooks } from "../src/worker/agent/agent-hooks.ts";
import { holdStory } from "../src/worker/story-in-memory.ts";
import type { PreparedWork } from "../src/worker/context.ts";
import {
  newScene,
  NO_HOOKS,
  runBare,
  runWorker,
  threeTasks,
  warmUp,
  type Bench,
  type SceneStory,
} from "./scene.ts";
import { boundFigure, countFigure, median, ratioFigure, sideBySide, type Figure } from "./table.ts";

const ROUNDS = 5;
const TOOL_CALLS = 50;
const HOOK_ROUNDS = 6;
const STORY: SceneStory = { id: "bench", tasks: threeTasks() };
const ONE_TASK: SceneStory = { id: "bench", tasks: threeTasks().slice(0, 1) };

export async function storyFigures(bench: Bench): Promise<Figure[]> {
  const script = scriptedAgent((taskId) => stepsOfTask(taskId, undefined));
  const floors: number[] = [];
  const totals: number[] = [];
  const steps = new Map<string, number[]>();
  for (let round = 0; round < ROUNDS; round++) {
    floors.push((await bareRun(bench, STORY, script)).ms);
    const story = await sagaRun(bench, script);
    totals.push(story.ms);
    for (const [step, ms] of story.steps) steps.set(step, [...(steps.get(step) ?? []), ms]);
  }
  const addedMs = median(totals) - median(floors);
  const stepMs = [...steps].map(([step, ms]) => [step, median(ms)] as const);
  const restMs = addedMs - stepMs.reduce((sum, [, ms]) => sum + ms, 0);
  return [
    boundFigure("a story of three tasks: all that Saga adds to the agent's time", addedMs, 400),
    ...stepMs.map(([step, ms]) => boundFigure(`  of that, ${step}`, ms, 1000)),
    boundFigure("  of that, the rest: hooks, status, three commits", restMs, 1000),
    countFigure("  git processes", (await gitCommands(bench, script)).length, "processes", 50),
  ];
}

/** The arguments of each git process of Saga for that story, without those of the agent. */
async function gitCommands(bench: Bench, script: Script): Promise<string[]> {
  const folder = join(bench.folder, "counted-git");
  const log = join(folder, "log");
  mkdirSync(folder, { recursive: true });
  writeFileSync(log, "");
  const git = findProgram("git", process.env);
  const lines = ["#!/bin/sh", `printf '%s\\n' "$*" >> ${log}`, `exec ${git} "$@"`, ""];
  writeFileSync(join(folder, "git"), lines.join("\n"), { mode: 0o755 });
  await sagaRun(bench, script, { PATH: `${folder}:${process.env["PATH"]}` });
  const commands = readFileSync(log, "utf8").trim().split("\n");
  return commands.filter((command) =>
    /^(?:-c core\.fsmonitor=false|config --file|--git-dir) /.test(command),
  );
}

/**
 * What the hooks cost for each tool call: the time spent in them, and what the agent as a whole is
 * slower with them; its floor are hooks that do nothing. Of the latter the best of several runs counts, because the time from one question
 * of the agent to its next varies by ten times what is measured.
 */
export async function hookFigures(bench: Bench): Promise<Figure[]> {
  const read = { tool: "Read", input: { file_path: "README.md" } };
  const script = scriptedAgent(() => Array.from({ length: TOOL_CALLS }, () => read));
  const [bare, empty, hooked, inside] = [[], [], [], []] as [
    number[],
    number[],
    number[],
    number[],
  ];
  const hooks = async (project: string): Promise<AgentHooks> =>
    timedHooks(await workerHooks(project), inside);
  for (let round = 0; round < HOOK_ROUNDS; round++) {
    bare.push(median((await bareRun(bench, ONE_TASK, script)).turnsMs));
    const none = async (): Promise<AgentHooks> => NO_HOOKS;
    empty.push(median((await bareRun(bench, ONE_TASK, script, none)).turnsMs));
    hooked.push(median((await bareRun(bench, ONE_TASK, script, hooks)).turnsMs));
  }
  const name = `hooks, for each of ${TOOL_CALLS} tool calls`;
  const addedMs = (turns: readonly number[]): number =>
    Math.max(0, Math.min(...turns) - Math.min(...bare));
  return [
    boundFigure(`${name}: inside the worker`, median(inside), 1),
    {
      ...boundFigure(`${name}: with the agent's way to them and back`, addedMs(hooked), 1),
      floor: `${addedMs(empty).toFixed(3)} ms`,
    },
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

/** The real hooks with a real record, on a task without checks. */
async function workerHooks(project: string): Promise<AgentHooks> {
  const store = openStore(project);
  const log = await store.startRun("bench");
  const record = startRecording(log, Date.now, () => undefined, newRedactor([]));
  const work = {
    story: holdStory(await store.readStory("bench"), { store, record }),
    record,
    context: { now: Date.now, stop: new AbortController().signal },
    worktree: project,
  } as unknown as PreparedWork;
  const state = { isBlocked: false, workCalls: 0, currentTask: undefined, isCompleting: false };
  const size = {
    answered: () => undefined,
    onCheckIn: () => undefined,
    noteForAgent: () => undefined,
    completing: async () => undefined,
    end: async () => undefined,
  };
  const conflicts = {
    committed: () => undefined,
    noteForAgent: () => undefined,
    end: async () => undefined,
  };
  const notes = { noteForAgent: () => undefined };
  const scope = { project, worktree: project, storyId: "bench", readable: [] };
  const { signal } = new AbortController();
  const control = { signal };
  const hooks = storyAgentHooks(work, { scope, state, size, conflicts, notes, control });
  const { beforeTool } = observedHooks(
    { ...hooks, sagaTools: [] },
    {
      folder: project,
      record,
      now: Date.now,
      checkIns: { called: () => undefined, answered: () => undefined },
      signal,
      finalSentence: () => undefined,
    },
  );
  // The commit at the end is not measured here.
  return { ...NO_HOOKS, beforeTool };
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

/** The total time, and that of the agent's turns. */
async function bareRun(
  bench: Bench,
  story: SceneStory,
  script: Script,
  hooksIn?: (project: string) => Promise<AgentHooks>,
): Promise<{ readonly ms: number; readonly turnsMs: readonly number[] }> {
  const scene = await newScene(bench, [story], script);
  const ms = await runBare(bench, scene, story, await hooksIn?.(scene.project));
  await scene.model.close();
  return { ms, turnsMs: scene.turnsMs() };
}

/** Run by a worker. */
async function sagaRun(
  bench: Bench,
  script: Script,
  more: Readonly<Record<string, string>> = {},
): Promise<{ readonly ms: number; readonly steps: ReadonlyMap<string, number> }> {
  const scene = await newScene(bench, [STORY], script);
  const { project, env, model } = scene;
  await warmUp(bench, scene);
  await runWorker(bench.saga, { ...scene, env: { ...env, ...more } }, STORY.id);
  await model.close();
  const store = openStore(project);
  const [run] = await store.listRuns(STORY.id);
  const { events } = await store.readEvents(STORY.id, run?.id ?? "");
  const ended = events.find(({ type }) => type === "run.ended");
  const steps = new Map(
    events.flatMap((event) =>
      event.type === "step.done" ? [[String(event["step"]), Number(event["ms"])] as const] : [],
    ),
  );
  return { ms: Number(ended?.["ms"]), steps };
}
