// Claude Code as Saga's agent: one run without a terminal, from its start to the end of its last process.

import type {
  McpSdkServerConfigWithInstance,
  Options,
  SDKMessage,
} from "@anthropic-ai/claude-agent-sdk";
import type { Agent, AgentEnd, AgentRequest, Outcome } from "../agent/agent.ts";
import type { SagaTool } from "../agent/saga-tool.ts";
import type { Environment } from "../machine/processes/environment.ts";
import { startMarked, type MarkedProcess } from "../machine/processes/marked-process.ts";
import { agentEnvironment, runSwitches } from "./environment.ts";
import { readMessage } from "./messages.ts";
import { judgeRun, missingTools, type RunFacts } from "./outcome.ts";
import { PLUGIN, pluginFolder } from "./plugin.ts";
import { priceOf } from "./prices.ts";
import { claudeVersion } from "./probe.ts";
import { isLimited, sandboxSettings } from "./sandbox/settings.ts";
import { clearStubs, stubPlaces } from "./sandbox/stub-files.ts";
import { sdkHooks } from "./sdk-hooks.ts";
import { canConfine } from "./supported.ts";

/** Passed as a parameter: it is large, and only code that runs an agent loads it. */
type Sdk = typeof import("./agent-sdk.ts");

const loadSdk = (): Promise<Sdk> => import("./agent-sdk.ts");

/** `path`: the program. */
export function claudeAgent(path: string): Agent {
  let version: Promise<string | undefined> | undefined;
  const findVersion = (env: Environment): Promise<string | undefined> =>
    (version ??= claudeVersion(path, env));
  return {
    preload(env) {
      loadSdk().catch(() => undefined);
      findVersion(env).catch(() => undefined);
    },
    async run(request) {
      const found = await findVersion(request.env);
      const isConfined = found !== undefined && canConfine(found);
      if (request.sandbox && isLimited(request.sandbox.network) && !isConfined) {
        return { outcome: CANNOT_LIMIT, conversation: request.resume, model: undefined };
      }
      return runClaude({ path, isConfined }, request);
    },
    priceOf,
    ownFiles: stubPlaces,
    removeOwnFiles: clearStubs,
  };
}

const CANNOT_LIMIT: Outcome = {
  kind: "refused",
  reason: "claude.sandbox_network is set, but this Claude Code cannot limit the network.",
  hint: "Run `claude update`, or allow all: `saga config set claude.sandbox_network '*'`.",
};

interface Program {
  readonly path: string;
  /** Whether this version knows the options that confine a run. */
  readonly isConfined: boolean;
}

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
const MAX_STDERR = 4_000;

async function runClaude(program: Program, request: AgentRequest): Promise<AgentEnd> {
  const sdk = await loadSdk();
  const facts: Writable<RunFacts> = {
    result: undefined,
    exitCode: undefined,
    signal: undefined,
    tools: undefined,
    required: request.requiredTools,
    limit: undefined,
    wasStopped: false,
    stderr: "",
  };
  const end: Writable<Omit<AgentEnd, "outcome">> = {
    conversation: request.resume,
    model: undefined,
  };
  let started: MarkedProcess | undefined;
  const onStop = (): void => {
    facts.wasStopped = true;
    void started?.end();
  };
  request.stop.addEventListener("abort", onStop);

  try {
    request.stop.throwIfAborted();
    const messages = sdk.query({
      prompt: request.prompt,
      options: {
        ...optionsOf(program, request),
        mcpServers: { saga: sagaServer(sdk, request.sagaTools) },
        spawnClaudeCodeProcess: ({ command, args, cwd, env }) => {
          started = startMarked({ program: command, args, cwd, env, mark: request.mark });
          const { child, id } = started;
          child.stderr.setEncoding("utf8").on("data", (text: string) => {
            facts.stderr = `${facts.stderr}${text}`.slice(-MAX_STDERR);
          });
          child.once("exit", (code, signal) => {
            facts.exitCode = code ?? undefined;
            facts.signal = signal ?? undefined;
          });
          if (id) request.onStart(id);
          if (request.stop.aborted) void started.end();
          return child;
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
    await started?.settled();
  }
  return { ...end, outcome: judgeRun(facts) };

  function onMessage(message: SDKMessage): void {
    const read = readMessage(message);
    for (const event of read.events) request.onEvent(event);
    for (const answer of read.answers ?? []) request.onAnswer(answer);
    if (read.conversation !== undefined) request.meter.named(read.conversation);
    if (read.bill) request.meter.billed(read.bill);
    if (read.usage) request.meter.used(read.usage);
    end.conversation = read.conversation ?? end.conversation;
    end.model = read.model ?? end.model;
    facts.result = read.result ?? facts.result;
    facts.limit = read.limit ?? (read.isFree ? undefined : facts.limit);
    facts.tools ??= read.tools;
    // Without its tools the agent could only talk: it is ended before the first paid turn.
    if (missingTools(read.tools, request.requiredTools).length > 0) void started?.end();
  }
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** All options of a run, except those that need a running worker. */
export function optionsOf(
  { path, isConfined }: Program,
  request: Pick<
    AgentRequest,
    | "cwd"
    | "worktreeOf"
    | "env"
    | "passEnv"
    | "variables"
    | "taskListId"
    | "model"
    | "resume"
    | "tools"
    | "sandbox"
    | "hooks"
  >,
): Options {
  const { taskListId, worktreeOf } = request;
  const pluginRoot = pluginFolder();
  const variables = {
    ...(pluginRoot !== undefined && { SAGA_PLUGIN_ROOT: pluginRoot }),
    ...request.variables,
  };
  const isInWorktree = isConfined && worktreeOf !== undefined;
  const story = Object.entries(variables).filter(([name]) => name.startsWith("SAGA_"));
  return {
    cwd: request.cwd,
    env: agentEnvironment(request.env, { taskListId, variables, pass: request.passEnv }),
    pathToClaudeCodeExecutable: path,
    permissionMode: "bypassPermissions",
    allowDangerouslySkipPermissions: true,
    tools: [...request.tools],
    disallowedTools: DISALLOWED_TOOLS.filter((tool) => !request.tools.includes(tool)),
    hooks: sdkHooks(request.hooks, { canBlock: isConfined }),
    settings: {
      env: { ...Object.fromEntries(story), ...runSwitches(taskListId) },
      // The worker has these hooks in its own process.
      enabledPlugins: { [PLUGIN]: false },
      ...(isInWorktree && { permissions: { blockWritesOutsideWorkingDirectories: true } }),
    },
    ...(isInWorktree && { projectConfigRoot: worktreeOf }),
    systemPrompt: { type: "preset", preset: "claude_code" },
    ...(request.sandbox && { sandbox: sandboxSettings(request.sandbox) }),
    ...(request.model !== undefined && { model: request.model }),
    ...(request.resume !== undefined && { resume: request.resume }),
  };
}

const sagaServer = (
  { createSdkMcpServer, tool }: Sdk,
  tools: readonly SagaTool[],
): McpSdkServerConfigWithInstance =>
  createSdkMcpServer({
    name: "saga",
    tools: tools.map(({ name, description, input, run }) =>
      tool(name, description, input.shape, async (given) => {
        const { text, isError = false } = await run(given);
        return { content: [{ type: "text", text }], isError };
      }),
    ),
  });
