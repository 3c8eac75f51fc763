// A project with a story, a scripted model, and the built `saga` to work on it: real git, tmux and
// Claude Code, in a home, session folder and tmux server of its own. A process that is left running fails the test.

import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import type { Environment } from "../../src/machine/processes/environment.ts";
import { endProcesses, processesWith } from "../../src/machine/processes/process-tree.ts";
import { startModel, type Model, type Script } from "../../src/rehearsal/model-server.ts";
import { scriptedAgent } from "../../src/rehearsal/scripted-agent.ts";
import { rehearsalEnv } from "../../src/rehearsal/stage-home.ts";
import { stepsOfTask, type RehearsalStep } from "../../src/rehearsal/steps.ts";
import { openStore } from "../../src/store/file-store.ts";
import { IGNORED } from "../../src/store/project/layout.ts";
import type { Store } from "../../src/store/store.ts";
import type { RunEvent } from "../../src/story/state/run.ts";
import { aStory, aTask, newFolder, type Project } from "./project.ts";
import { builtSaga, runNode, type Ended } from "./programs.ts";
import { shareCompiledCode } from "./share-compiled.ts";

export const STORY = "add-login";

export interface Stage extends Ground {
  readonly worktree: string;
  readonly store: Store;
  /** The built program. */
  readonly run: (...words: string[]) => Promise<Ended>;
  readonly runWith: (options: RunWith, ...words: string[]) => Promise<Ended>;
  /** Runs the story in this process, until it ends. */
  readonly work: (...words: string[]) => Promise<Ended>;
  readonly statuses: () => Promise<Record<string, string>>;
  /** Of the last run, or of all of them. */
  readonly events: (type?: string) => Promise<RunEvent[]>;
  /** The tasks that have a commit on the story's branch, oldest first. */
  readonly commits: () => string[];
  readonly sessions: () => string[];
  /** Claude's task lists that still exist. */
  readonly lists: () => string[];
  readonly processes: () => number[];
}

interface RunWith {
  readonly env?: Record<string, string>;
  readonly node?: readonly string[];
  readonly onStart?: Parameters<typeof runNode>[1]["onStart"];
}

export interface StageOptions {
  /** Of the project's folder. */
  readonly name?: string;
  /** The project's folder, if it already exists. */
  readonly folder?: Project;
  readonly script?: Script;
  /** What the scripted agent does for a task, when it has no script. */
  readonly steps?: Readonly<Record<string, readonly RehearsalStep[]>>;
  readonly tasks?: readonly Record<string, unknown>[];
  readonly story?: Record<string, unknown>;
  readonly config?: string;
}

/** Two tasks, one after the other. */
export const TWO_TASKS = [aTask("form"), aTask("page", { blockedBy: ["form"] })];

export const follows = (steps: StageOptions["steps"] = {}): Script =>
  scriptedAgent((taskId) => stepsOfTask(taskId, steps[taskId]));

/** The base of a stage: a repository in a folder, a home, and a model; removed after the test. */
export interface Ground extends Project {
  readonly env: NodeJS.ProcessEnv;
  readonly home: string;
  readonly model: Model;
  readonly git: (...args: string[]) => string;
}

export async function newGround(project: Project, script: Script): Promise<Ground> {
  const home = join(project.path, "..", "home");
  for (const folder of [home, join(home, "tmux")]) mkdirSync(folder, { mode: 0o700 });
  const model = await startModel(script);
  const env = definedOnly({
    ...rehearsalEnv(
      { PATH: process.env["PATH"], HOME: home, SHELL: "/bin/sh", LANG: "C.UTF-8" },
      { folder: home, modelUrl: model.url(STORY) },
    ),
    TMUX_TMPDIR: join(home, "tmux"),
    SAGA_SESSION_DIR: join(home, "sessions"),
    CLAUDE_CODE_MAX_RETRIES: "0",
    GIT_CONFIG_GLOBAL: "/dev/null",
  });
  shareCompiledCode(env);
  onTestFinished(() => endStage(env, home, model));
  const git = (...args: string[]): string => {
    const identity = ["-c", "user.name=Test", "-c", "user.email=test@example.com"];
    return execFileSync("git", [...identity, "-c", "maintenance.auto=false", ...args], {
      cwd: project.path,
      env,
      encoding: "utf8",
    }).trim();
  };
  git("init", "--quiet", "--initial-branch=main");
  return { ...project, env, home, model, git };
}

export async function newStage(options: StageOptions = {}): Promise<Stage> {
  const ground = await newGround(
    options.folder ?? newFolder(options.name ?? "project"),
    options.script ?? follows(options.steps),
  );
  ground.write("README.md", "# A project\n");
  ground.write(".saga/config.toml", options.config ?? "");
  ground.write(".saga/.gitignore", `${IGNORED.join("\n")}\n`);
  ground.git("add", "--all");
  ground.git("commit", "--quiet", "--message=First");
  ground.write(`.saga/stories/${STORY}/story.json`, aStory(STORY, options.story));
  for (const task of options.tasks ?? TWO_TASKS) {
    ground.write(`.saga/stories/${STORY}/${String(task["id"])}.json`, task);
  }
  return stageOf(ground);
}

function stageOf(ground: Ground): Stage {
  const { env, home, git, ...project } = ground;
  const store = openStore(project.path);
  const runWith: Stage["runWith"] = ({ env: more = {}, node = [], onStart }, ...words) =>
    runNode([...node, builtSaga, ...words], {
      cwd: project.path,
      env: { ...env, ...more },
      ...(onStart && { onStart }),
    });
  return {
    ...ground,
    worktree: join(project.path, ".saga/worktrees", STORY),
    store,
    runWith,
    run: (...words) => runWith({}, ...words),
    // In this process, where coverage sees it; sessions and kills are tried on the built program.
    work: async (...words) => {
      const result = await project.sagaWithEnv(env, "run", STORY, "--foreground", ...words);
      return { ...result, signal: null };
    },
    async statuses() {
      const { tasks } = await store.readStory(STORY);
      return Object.fromEntries(tasks.map(({ id, status }) => [id, status]));
    },
    async events(type) {
      const runs = (await store.listRuns(STORY)).toReversed();
      const events: RunEvent[] = [];
      for (const { id } of runs) events.push(...(await store.readEvents(STORY, id)).events);
      return type === undefined ? events : events.filter((event) => event.type === type);
    },
    commits: () =>
      git("log", "--reverse", "--format=%(trailers:key=Saga-Task,valueonly)", `story/${STORY}`)
        .split("\n")
        .filter((line) => line !== ""),
    sessions: () => tmuxSessions(env),
    lists: () => namesIn(join(home, "claude", "tasks")),
    processes: () =>
      processesWith("HOME", home)
        .map(({ pid }) => pid)
        .filter((pid) => !isOwnObjectReader(pid)),
  };
}

/** A worker in this process reads git's objects through one git process, which ends by itself when it is idle. */
function isOwnObjectReader(pid: number): boolean {
  const { stdout } = spawnSync("ps", ["-o", "ppid=,args=", "-p", `${pid}`], { encoding: "utf8" });
  return stdout.trim().startsWith(`${process.pid} git `) && stdout.includes(" cat-file --batch-");
}

/** Nothing may be left over when a story has ended: no session, list, lease, file or process. */
export async function expectNothingLeft(stage: Stage): Promise<void> {
  const leases = (await stage.store.leases.list()).map(({ name }) => name);
  expect({
    sessions: stage.sessions(),
    lists: stage.lists(),
    outputs: namesIn(join(stage.home, "sessions")),
    leases,
    agents: agentsOf(stage),
  }).toEqual({ sessions: [], lists: [], outputs: [], leases: [], agents: [] });
}

/** The tmux server itself stays as long as it has a session of anyone. */
const agentsOf = (stage: Stage): number[] =>
  processesWith("SAGA_STORY_ID", STORY)
    .map(({ pid }) => pid)
    .filter((pid) => stage.processes().includes(pid));

async function endStage(env: NodeJS.ProcessEnv, home: string, model: Model): Promise<void> {
  try {
    execFileSync("tmux", ["kill-server"], { env, stdio: "ignore" });
  } catch {
    // There was none.
  }
  await endProcesses(processesWith("HOME", home), { graceMs: 2_000 });
  await model.close();
}

function tmuxSessions(env: NodeJS.ProcessEnv): string[] {
  try {
    return execFileSync("tmux", ["list-sessions", "-F", "#{session_name}"], {
      env,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    })
      .trim()
      .split("\n");
  } catch {
    return [];
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

const definedOnly = (env: Environment): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined));
