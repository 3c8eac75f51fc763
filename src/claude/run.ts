// One agent run: Claude Code without a terminal, from its start to the end of its last process.

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
  /** A variable of `env` that only this run's processes have: they are found by it. */
  readonly mark: ProcessMark;
  readonly taskListId: string;
  readonly prompt: string;
  readonly model: string | undefined;
  /** The conversation to continue. */
  readonly resume: string | undefined;
  /**
   * Enforced here, after each answer. If Claude Code knew the budget, it would tell the model what is left at
   * every turn.
   */
  readonly maxCostUsd: number | undefined;
  readonly meter: AgentMeter;
  readonly moreTools: readonly string[];
  /** Undefined if shell commands run without the sandbox. */
  readonly sandbox: SandboxPlace | undefined;
  readonly hooks: AgentHooks;
  readonly kit: Kit;
  readonly onStart: (agent: ProcessId) => void;
  readonly onEvent: (event: AgentEvent) => void;
  readonly onAnswer: (answer: ToolAnswer) => void;
  /** Ends the run when it aborts. */
  readonly stop: AbortSignal;
}

/** The tools of an agent. */
export interface Kit {
  /** Tools of Claude Code. */
  readonly tools: readonly string[];
  /** The run is refused without these tools; full names. */
  readonly required: readonly string[];
  /** Tools of Saga. */
  readonly server: (sdk: Sdk) => McpSdkServerConfigWithInstance;
}

export interface HeadlessEnd {
  readonly outcome: Outcome;
  readonly conversation: string | undefined;
  readonly model: string | undefined;
}

/** For work on a story or a task. */
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
/** Tools that keep a run alive or start another one without the worker. */
const DISALLOWED_TOOLS = [
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
/** Shorter: when Claude Code is killed, its container ends with it. */
const CONTAINED_GRACE_MS = 3_500;
const MAX_STDERR = 4_000;

/** Loading takes as long as making a worktree: a worker starts it early. */
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
        spawnClaudeCodeProcess: (spawnOptions) => {
          agent = start(spawnOptions, (text) => {
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
    for await (const message of messages) onMessage(message);
  } catch (error) {
    // The stream ends when the process does: its exit code and stderr say more than the exception.
    if (facts.stderr === "" && !request.stop.aborted) facts.stderr = String(error);
  } finally {
    request.stop.removeEventListener("abort", onStop);
    facts.wasStopped ||= request.stop.aborted;
    await waitForEnd(agent, endAgent);
  }
  const unbilled = request.meter.unbilled();
  // For the log, and for a run that resumes the conversation.
  if (unbilled) request.onEvent({ type: "agent.billed", ...unbilled, isEstimate: true });
  return { ...end, outcome: judgeRun(facts) };

  function onMessage(message: SDKMessage): void {
    const read = readMessage(message);
    for (const event of read.events) request.onEvent(event);
    for (const answer of read.answers ?? []) request.onAnswer(answer);
    if (read.conversation !== undefined) request.meter.named(read.conversation);
    if (read.bill) request.meter.billed(read.bill);
    if (read.usage) {
      request.meter.used(read.usage);
      enforceBudget();
    }
    end.conversation = read.conversation ?? end.conversation;
    end.model = read.model ?? end.model;
    facts.result = read.result ?? facts.result;
    facts.limit = read.limit ?? (read.isFree ? undefined : facts.limit);
    facts.tools ??= read.tools;
    // Without its tools the agent could only talk: it is ended before the first paid turn.
    if (missingTools(read.tools, request.kit.required).length > 0) void endAgent();
  }

  function enforceBudget(): void {
    const { maxCostUsd = Infinity, meter } = request;
    if (meter.spentUsd() < maxCostUsd) return;
    facts.isOverBudget = true;
    void endAgent();
  }
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** All options of a run, except those that need a running worker. */
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
    disallowedTools: DISALLOWED_TOOLS.filter((tool) => !request.moreTools.includes(tool)),
    hooks: sdkHooks(request.hooks),
    settings: {
      env: { ...Object.fromEntries(story), ...runSwitches(request.taskListId) },
      // The worker has these hooks in its own process.
      enabledPlugins: { [PLUGIN]: false },
    },
    systemPrompt: { type: "preset", preset: "claude_code" },
    ...(request.sandbox && { sandbox: sandboxSettings(request.sandbox) }),
    ...(request.model !== undefined && { model: request.model }),
    ...(request.resume !== undefined && { resume: request.resume }),
  };
}

/** In a separate process group: the worker decides about signals from the terminal. */
function start(options: SpawnOptions, onStderr: (text: string) => void): ChildProcess {
  const { program, args, env } = containedCommand(
    { program: options.command, args: options.args, env: options.env },
    { graceMs: CONTAINED_GRACE_MS },
  );
  const child = spawn(program, [...args], {
    cwd: options.cwd,
    env,
    stdio: ["pipe", "pipe", "pipe"],
    detached: true,
  });
  // At once: processes that it starts before keep the normal priority.
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

async function waitForEnd(
  agent: ChildProcess | undefined,
  endAgent: () => Promise<void>,
): Promise<void> {
  if (agent?.pid === undefined) return;
  const hasExited = agent.exitCode !== null || agent.signalCode !== null;
  const timer = setTimeout(() => void endAgent(), GRACE_MS);
  if (!hasExited) await once(agent, "exit");
  clearTimeout(timer);
  // Processes that it left running must not outlive it.
  await endAgent();
}

/** Ends the agent and all processes with the run's mark. */
async function endTree(agent: ChildProcess | undefined, mark: ProcessMark): Promise<void> {
  const root = agent && identify(agent);
  await endMarkedProcesses(mark, root ? processTree(root) : [], { graceMs: GRACE_MS });
}
