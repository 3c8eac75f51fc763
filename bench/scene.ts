// A project with its own home folder and a scripted model: real agents are measured in it, alone and with Saga.

import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { query } from "@anthropic-ai/claude-agent-sdk";
import type { AgentHooks } from "../src/agent/agent.ts";
import { WORK_TOOLS } from "../src/agent/tool-names.ts";
import { optionsOf } from "../src/claude/agent.ts";
import { createTaskList, taskListFolder } from "../src/claude/tasks/list.ts";
import { startModel, type Model, type Script } from "../src/rehearsal/model-server.ts";
import { rehearsalEnv } from "../src/rehearsal/stage-home.ts";
import { toClaudeTasks } from "../src/claude/tasks/format.ts";
import { taskSchema, type Task } from "../src/story/definition/task.ts";

export interface Bench {
  readonly saga: string;
  readonly claude: string;
  readonly folder: string;
}

export interface SceneStory {
  readonly id: string;
  readonly tasks: readonly Task[];
  readonly writeFiles?: readonly string[];
  readonly checks?: readonly string[];
}

export interface Scene {
  readonly project: string;
  readonly env: Record<string, string>;
  readonly model: Model;
  /** Between two requests of the agent. */
  readonly turnsMs: () => number[];
}

let scenes = 0;

export async function newScene(
  { folder }: Bench,
  stories: readonly SceneStory[],
  script: Script,
): Promise<Scene> {
  const home = join(folder, `scene-${scenes++}`);
  const project = join(home, "project");
  const write = (file: string, text: string): void => {
    mkdirSync(dirname(join(project, file)), { recursive: true });
    writeFileSync(join(project, file), text);
  };
  const requestsMs: number[] = [];
  const model = await startModel((turn) => {
    requestsMs.push(performance.now());
    return script(turn);
  });
  // The folder of tmux's socket, for a server of our own.
  mkdirSync(join(home, "tmux"), { recursive: true, mode: 0o700 });
  const given = rehearsalEnv(
    { PATH: process.env["PATH"], HOME: home, GIT_CONFIG_GLOBAL: "/dev/null" },
    { folder: home, modelUrl: model.url() },
  );
  const env = {
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
    SAGA_SESSION_DIR: join(home, "sessions"),
    TMUX_TMPDIR: join(home, "tmux"),
  } as Record<string, string>;
  write("README.md", "# Bench\n");
  write(".saga/.gitignore", "worktrees/\nruns/\nleases/\nqueue/\nreceipts/\n");
  for (const { id, tasks, writeFiles, checks } of [...stories, WARM_UP]) {
    const story = { id, title: `Story ${id}`, description: "Measured.", writeFiles, checks };
    write(`.saga/stories/${id}/story.json`, JSON.stringify(story));
    for (const task of tasks) write(`.saga/stories/${id}/${task.id}.json`, JSON.stringify(task));
  }
  const git = (...args: string[]): Buffer => execFileSync("git", args, { cwd: project, env });
  git("init", "--quiet", "--initial-branch=main");
  // Saga passes on only needed variables, so the author's name is in git's settings.
  git("config", "user.name", "B");
  git("config", "user.email", "b@example.com");
  git("add", "--all");
  git("commit", "--quiet", "--message=First");
  const turnsMs = (): number[] =>
    requestsMs.slice(1).map((at, index) => at - (requestsMs[index] ?? at));
  return { project, env, model, turnsMs };
}

const WARM_UP: SceneStory = { id: "warm-up", tasks: [newTask("warm-up")] };

/**
 * Runs a first story, which is not measured. It leaves compiled code in the state folder, as on every machine that has
 * used this version of Saga before.
 */
export async function warmUp({ saga }: Bench, scene: Scene): Promise<void> {
  // As the first command of a user makes it.
  mkdirSync(join(scene.env["XDG_STATE_HOME"] ?? "", "saga"), { recursive: true, mode: 0o700 });
  await runWorker(saga, scene, WARM_UP.id);
}

/** In this session, without a terminal. */
export async function runWorker(
  saga: string,
  { project, env }: Scene,
  storyId: string,
): Promise<void> {
  const child = spawn(process.execPath, [saga, "worker", storyId, "-C", project], {
    env,
    stdio: "ignore",
  });
  const exitCode = await new Promise((resolve) => child.once("exit", resolve));
  if (exitCode !== 0) throw new Error(`The story ${storyId} ended with ${String(exitCode)}.`);
}

/** The agent alone: the same list and script, without a worker. Returns its duration. */
export async function runBare(
  { claude }: Bench,
  { project, env }: Scene,
  { id, tasks }: SceneStory,
  hooks?: AgentHooks,
): Promise<number> {
  const taskListId = `saga__${id}__1`;
  createTaskList(taskListFolder(env, taskListId), toClaudeTasks(tasks));
  const from = performance.now();
  const { hooks: allHooks, ...options } = optionsOf(
    { path: claude, isConfined: true },
    {
      cwd: project,
      worktreeOf: undefined,
      env,
      passEnv: [],
      variables: {},
      taskListId,
      model: "opus",
      resume: undefined,
      tools: WORK_TOOLS,
      sandbox: undefined,
      hooks: hooks ?? NO_HOOKS,
    },
  );
  const run = query({
    prompt: "Execute the tasks in the task list.",
    options: hooks && allHooks ? { ...options, hooks: allHooks } : options,
  });
  for await (const message of run) void message;
  return performance.now() - from;
}

export const NO_HOOKS: AgentHooks = {
  beforeTool: () => ({ isAllowed: true }),
  afterTaskChange: () => undefined,
  beforeCompletion: () => ({ isAllowed: true }),
};

/** One after the other. */
export const threeTasks = (prefix = ""): Task[] =>
  ["first", "second", "third"].map((name, at, all) =>
    newTask(`${prefix}${name}`, at === 0 ? [] : [`${prefix}${all[at - 1]}`]),
  );

function newTask(id: string, blockedBy: readonly string[] = []): Task {
  return taskSchema.parse({ id, subject: `Do ${id}`, description: "A step.", blockedBy });
}
