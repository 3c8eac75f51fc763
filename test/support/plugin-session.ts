// Sessions of the real Claude Code with the plugin, in a project with real worktrees, and the plugin's
// hook scripts alone. The scripted model makes the given calls, turn by turn.

import { spawn } from "node:child_process";
import { join } from "node:path";
import { findClaude } from "../../src/claude/find.ts";
import type { Turn } from "../../src/rehearsal/model-server.ts";
import type { AgentStep } from "../../src/rehearsal/scripted-agent.ts";
import { openFileLeases } from "../../src/store/leases/file-leases.ts";
import { thisProcess } from "../../src/machine/processes/process-id.ts";
import { aStory, aTask } from "./project.ts";
import { root, type Ended } from "./programs.ts";
import { newStage, type Stage } from "./stage.ts";

export const pluginFolder = join(root, "plugin");

export interface PluginStage extends Stage {
  readonly claude: string;
  /** A real worktree below `.saga/worktrees`, with its story's files in it. Gives its path. */
  readonly addWorktree: (place: string, story: NewStory) => string;
  /** A worker's lease on a story: this process's, or one that is dead. */
  readonly lease: (storyId: string, life: "alive" | "dead") => Promise<void>;
  readonly session: (options: SessionOptions) => Promise<Session>;
}

interface NewStory {
  readonly id: string;
  readonly more?: Record<string, unknown>;
  readonly tasks?: readonly Record<string, unknown>[];
}

interface SessionOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** What the model calls, turn by turn. Then it is done. */
  readonly turns?: readonly (readonly AgentStep[])[];
  readonly prompt?: string;
  /** More words for the command line. */
  readonly words?: readonly string[];
  /** Undefined if the plugin is installed. */
  readonly plugin?: string | undefined;
}

export interface Session {
  readonly exitCode: number | null;
  readonly init: Readonly<Record<string, unknown>>;
  /** The result of each call, in order. */
  readonly answers: readonly Answer[];
  readonly hooks: readonly HookCall[];
  /** Everything in the last request to the model, except tool results. */
  readonly received: string;
  readonly stderr: string;
}

interface Answer {
  readonly text: string;
  readonly isError: boolean;
}

/** One run of a hook, as Claude Code reports it. */
interface HookCall {
  readonly name: string;
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number | undefined;
}

type Line = Readonly<Record<string, unknown>>;

const TOOLS = "Bash,Edit,Read,Write,NotebookEdit,Glob,Grep,EnterWorktree,TaskUpdate,TaskCreate";

export async function newPluginStage(name = "project"): Promise<PluginStage> {
  let turns: SessionOptions["turns"] = [];
  let turnNumber = 0;
  let last: Turn | undefined;
  const stage = await newStage({
    name,
    script: (turn) => {
      last = turn;
      const steps = turns?.[turnNumber++] ?? [];
      const blocks = steps.map(
        ({ tool, input }) => ({ type: "tool_use", name: tool, input }) as const,
      );
      return {
        kind: "say",
        blocks: blocks.length > 0 ? blocks : [{ type: "text", text: "Done." }],
      };
    },
  });
  const claude = findClaude(undefined, stage.env, stage.path)?.path ?? "claude";
  return {
    ...stage,
    claude,
    addWorktree(
      place,
      { id, more, tasks = [aTask("form"), aTask("page", { blockedBy: ["form"] })] },
    ) {
      const worktree = `.saga/worktrees/${place}`;
      stage.git("worktree", "add", "--quiet", "-b", `story/${id}`, worktree);
      stage.write(`${worktree}/.saga/stories/${id}/story.json`, aStory(id, more));
      for (const task of tasks) {
        stage.write(`${worktree}/.saga/stories/${id}/${String(task["id"])}.json`, task);
      }
      return join(stage.path, worktree);
    },
    async lease(storyId, life) {
      // The pid of a dead process.
      const self = { ...thisProcess(), ...(life === "dead" && { startTime: "0" }) };
      const leases = openFileLeases(join(stage.path, ".saga/leases"), { now: Date.now, self });
      await leases.acquire(`story.${storyId}`, { owner: "a worker", ttlMs: 60_000 });
    },
    async session({ cwd = stage.path, env = {}, plugin = pluginFolder, ...more }) {
      turns = more.turns;
      turnNumber = 0;
      const words = ["-p", more.prompt ?? "Go on.", "--output-format", "stream-json", "--verbose"];
      words.push("--include-hook-events", "--dangerously-skip-permissions", "--tools", TOOLS);
      if (plugin !== "") words.push("--plugin-dir", plugin);
      const all = { ...stage.env, ...env };
      const ended = await run(claude, [...words, ...(more.words ?? [])], { cwd, env: all });
      return receivedTexts(ended, last);
    },
  };
}

function receivedTexts({ exitCode, stdout, stderr }: Ended, last: Turn | undefined): Session {
  const lines = stdout
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as Line);
  const contents = lines.flatMap(contentOf);
  const answers = new Map(
    contents.flatMap((one) =>
      one["type"] === "tool_result" ? [[one["tool_use_id"], answerOf(one)] as const] : [],
    ),
  );
  return {
    exitCode,
    init: lines.find(({ subtype }) => subtype === "init") ?? {},
    answers: contents
      .filter(({ type }) => type === "tool_use")
      .map(({ id }) => answers.get(id) ?? NO_ANSWER),
    hooks: lines.filter(({ subtype }) => subtype === "hook_response").map(hookCall),
    received: (last?.messages ?? [])
      .flatMap(({ content }) => content)
      .map((content) => (content.type === "text" ? content.text : ""))
      .join("\n"),
    stderr,
  };
}

const NO_ANSWER: Answer = { text: "(no answer)", isError: true };

const answerOf = (result: Line): Answer => ({
  text: textOf(result["content"]),
  isError: result["is_error"] === true,
});

const contentOf = ({ type, message }: Line): Line[] => {
  const content = (message as Line | undefined)?.["content"];
  return (type === "assistant" || type === "user") && Array.isArray(content)
    ? (content as Line[])
    : [];
};

const textOf = (content: unknown): string =>
  typeof content === "string"
    ? content
    : (content as Line[]).map(({ text }) => (typeof text === "string" ? text : "")).join("\n");

const hookCall = (line: Line): HookCall => ({
  name: String(line["hook_name"]),
  stdout: line["stdout"] as string,
  stderr: line["stderr"] as string,
  exitCode: line["exit_code"] as number | undefined,
});

interface Start {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly input?: string | Buffer;
  /** Its standard input stays open. */
  readonly isLeftOpen?: boolean;
  readonly timeoutMs?: number;
}

export function run(
  program: string,
  words: readonly string[],
  { cwd, env, input = "", isLeftOpen = false, timeoutMs }: Start,
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, words, { cwd, env, timeout: timeoutMs, killSignal: "SIGKILL" });
    let stdout = "";
    let stderr = "";
    child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
    child.stdin.on("error", () => undefined);
    if (!isLeftOpen) child.stdin.end(input);
    child.on("error", reject);
    child.on("close", (exitCode, signal) => resolve({ exitCode, signal, stdout, stderr }));
  });
}

/** A hook script as Claude Code starts it. One that hangs is killed, and has a signal. */
export const hookScript = (name: string, start: Omit<Start, "timeoutMs">): Promise<Ended> =>
  run(process.execPath, [join(pluginFolder, "scripts", `${name}.cjs`)], {
    timeoutMs: 60_000,
    ...start,
  });
