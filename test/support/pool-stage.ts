// A project with a list of loose tasks, a scripted model, and the built `saga auto` to work through it.

import { spawn, type ChildProcess } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Reply, Script, Turn } from "../../src/rehearsal/model-server.ts";
import { conversation, say, type AgentStep } from "../../src/rehearsal/scripted-agent.ts";
import { readDaemons } from "../../src/tasks/daemon-files.ts";
import type { ClaudeCodeTask } from "../../src/claude/tasks/format.ts";
import { claudeTask } from "./claude-list.ts";
import { builtSaga, type Ended } from "./programs.ts";
import { newStage, type Stage } from "./stage.ts";

export const LIST = "chores";

/** Main is checked out in the project, and updated after each merge. */
export const CONFIG = `[auto]\ntask_list_id = "${LIST}"\n[delivery]\nupdate_checkout = true\n`;

export interface PoolStage extends Stage {
  readonly list: string;
  readonly addTask: (id: string, more?: Partial<ClaudeCodeTask>) => void;
  readonly task: (id: string) => ClaudeCodeTask;
  readonly tasks: () => Record<string, string>;
  /** `saga auto` with these arguments. */
  readonly auto: (...words: string[]) => Pool;
  /** The tasks that are in main, oldest first. */
  readonly merged: () => string[];
  readonly keeps: () => string[];
}

export interface Pool {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  /** Its output so far. */
  readonly output: () => string;
  /** Resolves when it has printed this. */
  readonly until: (text: string | RegExp) => Promise<void>;
}

export interface PoolOptions {
  readonly config?: string;
  readonly agent?: PoolAgent;
}

/** What an agent does for a task, turn by turn. */
export type PoolAgent = (task: PoolTurn) => Reply | Promise<Reply>;

export interface PoolTurn {
  readonly taskId: string;
  /** Tool calls of this conversation so far. */
  readonly calls: ReturnType<typeof conversation>["calls"];
  /** Its first prompt. */
  readonly prompt: string;
  /** All of its prompts. */
  readonly received: string;
  readonly turn: Turn;
}

export async function newPoolStage({
  config = CONFIG,
  agent = worker(),
}: PoolOptions = {}): Promise<PoolStage> {
  const stage = await newStage({ config, script: poolScript(agent) });
  const list = join(stage.home, "claude", "tasks", LIST);
  mkdirSync(list, { recursive: true });
  const task = (id: string): ClaudeCodeTask =>
    JSON.parse(readFileSync(join(list, `${id}.json`), "utf8")) as ClaudeCodeTask;
  const ids = (): string[] =>
    readdirSync(list).flatMap((name) => (name.endsWith(".json") ? [name.slice(0, -5)] : []));
  const lines = (text: string): string[] => text.split("\n").filter((line) => line !== "");
  return {
    ...stage,
    list,
    task,
    addTask(id, more) {
      writeFileSync(join(list, `${id}.json`), JSON.stringify(claudeTask(id, more), undefined, 2));
    },
    tasks: () => Object.fromEntries(ids().map((id) => [id, task(id).status])),
    auto: (...words) => startPool(stage, words),
    merged: () =>
      lines(
        stage.git("log", "--reverse", "--format=%(trailers:key=Saga-Task,valueonly)", "main"),
      ).map((line) => line.replace(`${LIST}/`, "")),
    keeps: () => lines(stage.git("for-each-ref", "--format=%(refname)", "refs/saga/keep")),
  };
}

function startPool({ path, env }: Stage, words: readonly string[]): Pool {
  const child = spawn(process.execPath, [builtSaga, "auto", ...words], { cwd: path, env });
  let stdout = "";
  let stderr = "";
  let wake = (): void => undefined;
  child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => {
    stderr += chunk.toString();
    wake();
  });
  let isClosed = false;
  const ended = new Promise<Ended>((resolve) => {
    child.on("close", (exitCode, signal) => {
      isClosed = true;
      resolve({ exitCode, signal, stdout, stderr });
      wake();
    });
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const isPrinted = (text: string | RegExp): boolean =>
    typeof text === "string" ? stderr.includes(text) : text.test(stderr);
  return {
    child,
    ended,
    output: () => stderr,
    async until(text) {
      while (!isPrinted(text)) {
        // Not when it has exited: the rest of its output may still arrive.
        if (isClosed) throw new Error(`It ended without saying it:\n${stderr}`);
        await new Promise<void>((resolve) => (wake = resolve));
      }
    },
  };
}

/** The processes of running workers, by name. */
export const workersOf = ({ path }: Pick<Stage, "path">): Record<string, number> =>
  Object.fromEntries(
    readDaemons(path)
      .flatMap(({ workers }) => workers)
      .filter(({ life }) => life === "alive")
      .map(({ worker, process: { pid } }) => [worker, pid]),
  );

export const poolScript =
  (agent: PoolAgent): Script =>
  (turn) => {
    const texts = turn.messages.flatMap(({ role, content }) =>
      role === "user" ? content.flatMap((one) => (one.type === "text" ? [one.text] : [])) : [],
    );
    const prompt = texts.find((text) => text.includes("You are working on task ")) ?? "";
    const taskId = /You are working on task (?<id>\S+) of/.exec(prompt)?.groups?.["id"] ?? "";
    const received = texts.join("\n");
    return agent({ taskId, prompt, received, turn, calls: conversation(turn).calls });
  };

export const write = (path: string, content: string): AgentStep => ({
  tool: "Write",
  input: { file_path: path, content },
});
export const bash = (command: string): AgentStep => ({
  tool: "Bash",
  input: { command, description: "Run it" },
});
export const finish = (outcome = "done", summary = "All done."): AgentStep => ({
  tool: "mcp__saga__finish",
  input: { outcome, summary },
});

/** Does the steps of its task. Without steps, it writes a file and finishes. */
export const worker =
  (steps: Readonly<Record<string, readonly (AgentStep | string)[]>> = {}): PoolAgent =>
  ({ taskId, calls }) =>
    say((steps[taskId] ?? usual(taskId))[calls.length] ?? "Goodbye.");

export const usual = (taskId: string): AgentStep[] => [
  write(`work/${taskId}.md`, `The work of ${taskId}.\n`),
  finish(),
];

/** Pauses the agent of a task until it is released. */
export function gateAt(taskId: string): {
  agent: PoolAgent;
  isThere: Promise<void>;
  letGo: () => void;
} {
  let arrive = (): void => undefined;
  let letGo = (): void => undefined;
  const isThere = new Promise<void>((resolve) => (arrive = resolve));
  const isOpen = new Promise<void>((resolve) => (letGo = resolve));
  const agent: PoolAgent = async (turn) => {
    if (turn.taskId === taskId && turn.calls.length === 1) {
      arrive();
      await isOpen;
    }
    return worker()(turn);
  };
  return { agent, isThere, letGo };
}
