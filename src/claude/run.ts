// One headless run of Claude Code, from its start to the end of its last process.

import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import type {
  McpSdkServerConfigWithInstance,
  Options,
  SDKMessage,
  SpawnOptions,
} from "@anthropic-ai/claude-agent-sdk";
import { containedCommand } from "../machine/processes/contain.ts";
import { lowerPriority } from "../machine/processes/priority.ts";
import { thisProcess, startTimeOf, type ProcessId } from "../machine/processes/process-id.ts";
import {
  endMarkedProcesses,
  processTree,
  type ProcessMark,
} from "../machine/processes/process-tree.ts";
import { runSwitches } from "./environment.ts";
import { sdkHooks, type AgentHooks } from "./sdk-hooks.ts";
import type { AgentMeter } from "../agent/cost.ts";
import { readMessage, type AgentEvent, type ToolAnswer } from "./messages.ts";
import { judgeRun, missingTools, type Outcome, type RunFacts } from "./outcome.ts";
import { PLUGIN } from "./plugin.ts";
import { TASK_TOOLS } from "./probe.ts";
import { sandboxSettings, type SandboxPlace } from "./sandbox/settings.ts";
import type { Sdk } from "./tool-answer.ts";

export interface HeadlessRequest {
  readonly claude: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** A variable of `env` that no other process has: whatever carries it belongs to this run. */
  readonly mark: ProcessMark;
  readonly taskListId: string;
  readonly prompt: string;
  readonly model: string | undefined;
  /** The conversation to go on with. */
  readonly resume: string | undefined;
  /** Kept to here, by each answer: told of its budget, Claude Code would tell the model what is left with every turn. */
  readonly maxCostUsd: number | undefined;
  readonly meter: AgentMeter;
  readonly moreTools: readonly string[];
  /** Nothing: shell commands run without the sandbox. */
  readonly sandbox: SandboxPlace | undefined;
  readonly hooks: AgentHooks;
  readonly kit: Kit;
  readonly onStart: (agent: ProcessId) => void;
  readonly onEvent: (event: AgentEvent) => void;
  readonly onAnswer: (answer: ToolAnswer) => void;
  /** Ends the run when it aborts. */
  readonly stop: AbortSignal;
}

/** What an agent has to work with. */
export interface Kit {
  /** Claude Code's own. */
  readonly tools: readonly string[];
  /** Without these, by their full names, it cannot do what it is for. */
  readonly required: readonly string[];
  /** Saga's own. */
  readonly server: (sdk: Sdk) => McpSdkServerConfigWithInstance;
}

export interface HeadlessEnd {
  readonly outcome: Outcome;
  readonly conversation: string | undefined;
  readonly model: string | undefined;
}

/** For the work on a story. */
export const WORK_TOOLS: readonly string[] = [
  "Bash",
  "Edit",
  "Read",
  "Write",
  "NotebookEdit",
  "Glob",
  "Grep",
  "Skill",
  ...TASK_TOOLS,
];
/** What keeps a run alive, or starts others, behind the worker's back. */
const NO_TOOLS = [
  "Agent",
  "Monitor",
  "ScheduleWakeup",
  "CronCreate",
  "Workflow",
  "SendMessage",
  "EnterWorktree",
];
/** Claude Code needs up to 1.6 s to end its children and itself. */
const GRACE_MS = 5_000;
/** Less, because its container goes with it when it is ended hard. */
const CONTAINED_GRACE_MS = 3_500;
const MAX_STDERR = 4_000;

/** Loading it takes as long as making a worktree: whoever knows that it will be needed begins early. */
export const loadSdk = (): Promise<Sdk> => import("@anthropic-ai/claude-agent-sdk");

export async function headlessRun(request: HeadlessRequest): Promise<HeadlessEnd> {
  const sdk = await loadSdk();
  const facts: Writable<RunFacts> = {
    result: undefined,
    exitCode: undefined,
    signal: undefined,
    tools: undefined,
    required: request.kit.required,
    limit: undefined,
    wasStopped: false,
    isOverBudget: false,
    stderr: "",
  };
  const end: Writable<Omit<HeadlessEnd, "outcome">> = {
    conversation: request.resume,
    model: undefined,
  };
  let agent: ChildProcess | undefined;
  let isEnding: Promise<void> | undefined;
  const endAgent = (): Promise<void> =>
    agent === undefined ? Promise.resolve() : (isEnding ??= endTree(agent, request.mark));
  const onStop = (): void => {
    facts.wasStopped = true;
    void endAgent();
  };
  request.stop.addEventListener("abort", onStop);

  try {
    request.stop.throwIfAborted();
    const messages = sdk.query({
      prompt: request.prompt,
      options: {
        ...optionsOf(request, request.kit.tools),
        mcpServers: { saga: request.kit.server(sdk) },
        spawnClaudeCodeProcess: (asked) => {
          agent = start(asked, (text) => {
            facts.stderr = `${facts.stderr}${text}`.slice(-MAX_STDERR);
          });
          agent.once("exit", (code, signal) => {
            facts.exitCode = code ?? undefined;
            facts.signal = signal ?? undefined;
          });
          const id = identify(agent);
          if (id) request.onStart(id);
          if (request.stop.aborted) void endAgent();
          return agent as ReturnType<NonNullable<Options["spawnClaudeCodeProcess"]>>;
        },
      },
    });
    for await (const message of messages) hear(message);
  } catch (error) {
    // The stream breaks off when the process does; how that ended says more than the exception.
    if (facts.stderr === "" && !request.stop.aborted) facts.stderr = String(error);
  } finally {
    request.stop.removeEventListener("abort", onStop);
    facts.wasStopped ||= request.stop.aborted;
    await untilEnded(agent, endAgent);
  }
  const unbilled = request.meter.unbilled();
  // For the log, and for whoever resumes the conversation.
  if (unbilled) request.onEvent({ type: "agent.billed", ...unbilled, isEstimate: true });
  return { ...end, outcome: judgeRun(facts) };

  function hear(message: SDKMessage): void {
    const heard = readMessage(message);
    for (const event of heard.events) request.onEvent(event);
    for (const answer of heard.answers ?? []) request.onAnswer(answer);
    if (heard.conversation !== undefined) request.meter.named(heard.conversation);
    if (heard.bill) request.meter.billed(heard.bill);
    if (heard.usage) {
      request.meter.used(heard.usage);
      keepToBudget();
    }
    end.conversation = heard.conversation ?? end.conversation;
    end.model = heard.model ?? end.model;
    facts.result = heard.result ?? facts.result;
    facts.limit = heard.limit ?? (heard.isFree ? undefined : facts.limit);
    facts.tools ??= heard.tools;
    // Without them it would only talk: not one turn is paid for.
    if (missingTools(heard.tools, request.kit.required).length > 0) void endAgent();
  }

  function keepToBudget(): void {
    const { maxCostUsd = Infinity, meter } = request;
    if (meter.spentUsd() < maxCostUsd) return;
    facts.isOverBudget = true;
    void endAgent();
  }
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** All but what needs the worker: the hooks' other half, and Saga's own tools. */
export function optionsOf(
  request: Omit<
    HeadlessRequest,
    "mark" | "prompt" | "kit" | "onStart" | "onEvent" | "onAnswer" | "stop" | "maxCostUsd" | "meter"
  >,
  tools = WORK_TOOLS,
): Options {
  const story = Object.entries(request.env).filter(([name]) => name.startsWith("SAGA_"));
  return {
    cwd: request.cwd,
    env: { ...request.env },
    pathToClaudeCodeExecutable: request.claude,
    permissionMode: "bypassPermissions",
    allowDangerouslySkipPermissions: true,
    tools: [...tools, ...request.moreTools],
    disallowedTools: NO_TOOLS.filter((tool) => !request.moreTools.includes(tool)),
    hooks: sdkHooks(request.hooks),
    settings: {
      env: { ...Object.fromEntries(story), ...runSwitches(request.taskListId) },
      // The worker has its hooks in the process, and starts no other worker.
      enabledPlugins: { [PLUGIN]: false },
    },
    systemPrompt: { type: "preset", preset: "claude_code" },
    ...(request.sandbox && { sandbox: sandboxSettings(request.sandbox) }),
    ...(request.model !== undefined && { model: request.model }),
    ...(request.resume !== undefined && { resume: request.resume }),
  };
}

/** In a process group of its own: a signal from the terminal is the worker's to pass on. */
function start(asked: SpawnOptions, onStderr: (text: string) => void): ChildProcess {
  const { program, args, env } = containedCommand(
    { program: asked.command, args: asked.args, env: asked.env },
    { graceMs: CONTAINED_GRACE_MS },
  );
  const child = spawn(program, [...args], {
    cwd: asked.cwd,
    env,
    stdio: ["pipe", "pipe", "pipe"],
    detached: true,
  });
  // At once: what it has started by then stays in front.
  lowerPriority(child.pid);
  child.stderr.setEncoding("utf8").on("data", onStderr);
  return child;
}

function identify({ pid }: ChildProcess): ProcessId | undefined {
  const startTime = pid === undefined ? undefined : startTimeOf(pid);
  return pid === undefined || startTime === undefined
    ? undefined
    : { ...thisProcess(), pid, startTime };
}

async function untilEnded(
  agent: ChildProcess | undefined,
  endAgent: () => Promise<void>,
): Promise<void> {
  if (agent?.pid === undefined) return;
  const hasExited = agent.exitCode !== null || agent.signalCode !== null;
  const timer = setTimeout(() => void endAgent(), GRACE_MS);
  if (!hasExited) await once(agent, "exit");
  clearTimeout(timer);
  // What it started and left running must not outlive it.
  await endAgent();
}

/** The agent and all that carries the run's mark. */
async function endTree(agent: ChildProcess | undefined, mark: ProcessMark): Promise<void> {
  const root = agent && identify(agent);
  await endMarkedProcesses(mark, root ? processTree(root) : [], { graceMs: GRACE_MS });
}
