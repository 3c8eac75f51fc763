// A second agent behind Saga's interface: a process that speaks JSON lines (`line-agent-program.mjs`). It proves that
// employers need nothing of Claude Code.

import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Agent, AgentEnd, AgentRequest, Outcome } from "../../src/agent/agent.ts";
import { sagaToolName } from "../../src/agent/saga-tool.ts";
import { TASK_TOOLS } from "../../src/agent/tool-names.ts";
import {
  createTask,
  readTaskList,
  taskListFolder,
  updateTask,
} from "../../src/claude/tasks/list.ts";
import { plainEnvironment } from "../../src/machine/processes/environment.ts";
import { startMarked } from "../../src/machine/processes/marked-process.ts";
import { isStatus } from "../../src/story/definition/status.ts";

/** What it does for a task; a task that is not named gets a file with its name. */
export type LineSteps = Readonly<Record<string, readonly LineStep[]>>;

type LineStep =
  | { readonly do: "write"; readonly path: string; readonly text: string }
  /** Writes without asking first. */
  | { readonly do: "sneak"; readonly path: string; readonly text: string }
  | { readonly do: "ask"; readonly title: string }
  | {
      readonly do: "call";
      readonly tool: string;
      readonly input: Readonly<Record<string, unknown>>;
    }
  /** The account is at its limit; not in a conversation that is continued. */
  | { readonly do: "limit" }
  | { readonly do: "die" }
  | { readonly do: "hang" };

/**
 * What its runs do one after the other instead of working through a list. By the tool of Saga that only this job has:
 * `journal` for a story, `finish` for a task of the pool, `verdict`, `propose_split`; `repair` has none.
 */
export type LineJobs = Readonly<Record<string, readonly (readonly LineStep[])[]>>;

export interface LineAgent extends Agent {
  /** Its runs so far. */
  readonly runs: readonly Pick<AgentRequest, "prompt" | "resume">[];
}

interface LineCall {
  readonly id: string;
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
}

type Line =
  | { readonly ask: LineCall }
  | { readonly call: LineCall }
  | { readonly did: { readonly id: string; readonly isError: boolean; readonly response: unknown } }
  | { readonly text: string }
  | { readonly used: number }
  | { readonly end: string; readonly limit?: true };

interface Answer {
  readonly isError: boolean;
  readonly text: string;
}

/** It only writes files, and asks as these tools would. */
const FILE_TOOLS = ["Read", "Edit", "Write", "Glob", "Grep"];

const PROGRAM = join(import.meta.dirname, "line-agent-program.mjs");
const MODEL = "line-model";

export function lineAgent(steps: LineSteps = {}, jobs: LineJobs = {}): LineAgent {
  const runs: AgentRequest[] = [];
  const left = new Map(Object.entries(jobs).map(([job, scripts]) => [job, [...scripts]]));
  return {
    runs,
    preload: () => undefined,
    priceOf: ({ inputTokens }) => inputTokens / 1000,
    ownFiles: () => [],
    removeOwnFiles: () => undefined,
    run(request) {
      runs.push(request);
      const own = request.sagaTools.map(({ name }) => left.get(name));
      const job = own.length === 0 ? left.get("repair") : own.find((one) => one !== undefined);
      return runLineAgent(request, { tasks: steps, run: job && (job.shift() ?? []) });
    },
  };
}

interface LineScript {
  readonly tasks: LineSteps;
  readonly run: readonly LineStep[] | undefined;
}

async function runLineAgent(request: AgentRequest, script: LineScript): Promise<AgentEnd> {
  const { hooks, meter, onEvent, onAnswer, stop, mark, cwd } = request;
  const own = request.sagaTools.map(({ name }) => sagaToolName(name));
  const tools = new Set<string>([...TASK_TOOLS, ...FILE_TOOLS, ...own]);
  const missing = request.requiredTools.filter((tool) => !tools.has(tool));
  if (missing.length > 0) {
    const outcome = {
      kind: "refused",
      reason: `It lacks ${missing.join(", ")}.`,
      hint: "",
    } as const;
    return { outcome, conversation: undefined, model: undefined };
  }
  const { child, id, end, settled } = startMarked({
    program: process.execPath,
    args: [PROGRAM, JSON.stringify({ ...script, resume: request.resume })],
    cwd,
    env: { ...plainEnvironment(request.env, request.passEnv), ...request.variables },
    mark,
  });
  if (id) request.onStart(id);
  const onStop = (): void => void end();
  stop.addEventListener("abort", onStop);
  const reply = (message: unknown): void => void child.stdin.write(`${JSON.stringify(message)}\n`);
  // It may have been ended.
  child.stdin.on("error", () => undefined);
  let conversation: string | undefined;
  let isLimited = false;
  reply({ start: request.prompt });
  for await (const line of createInterface({ input: child.stdout })) {
    await onLine(JSON.parse(line) as Line);
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  stop.removeEventListener("abort", onStop);
  await settled();
  return { outcome: outcomeOf(), conversation, model: MODEL };

  function outcomeOf(): Outcome {
    if (stop.aborted) return { kind: "stopped" };
    if (isLimited)
      return { kind: "limit", reason: "The usage limit is reached.", resetsAtMs: undefined };
    if (child.exitCode === 0 && conversation !== undefined) return { kind: "ended" };
    const how = child.signalCode ?? String(child.exitCode);
    return { kind: "crashed", reason: `The line agent ended with ${how}.` };
  }

  async function onLine(line: Line): Promise<void> {
    if ("text" in line) onEvent({ type: "agent.said", text: line.text });
    else if ("used" in line) meter.used(usageOf(line.used));
    else if ("did" in line) onAnswer(line.did);
    else if ("end" in line) {
      conversation = line.end;
      isLimited = line.limit === true;
      meter.named(conversation);
    } else if ("ask" in line) {
      reply({ id: line.ask.id, ...(await hooks.beforeTool({ ...line.ask, cwd })) });
    } else await perform(line.call);
  }

  async function perform(call: LineCall): Promise<void> {
    const verdict = await hooks.beforeTool({ ...call, cwd });
    const answer: Answer = verdict.isAllowed
      ? await answerTo(call)
      : { isError: true, text: verdict.reason };
    onAnswer({ id: call.id, isError: answer.isError, response: answer.text });
    reply({ id: call.id, ...answer });
  }

  async function answerTo({ tool, input }: LineCall): Promise<Answer> {
    const list = taskListFolder(request.env, request.taskListId);
    if (tool === "TaskList") return done(JSON.stringify(await readTaskList(list)));
    if (tool === "TaskCreate") {
      const { id } = await createTask(list, { subject: String(input["subject"]), description: "" });
      hooks.afterTaskCreation?.(id);
      return done(id);
    }
    if (tool === "TaskUpdate") {
      const [taskId, to] = [String(input["taskId"]), input["status"]];
      const { description } = input;
      if (typeof description === "string") {
        await updateTask(list, taskId, (task) => ({ ...task, description }));
        return done("Updated.");
      }
      if (!isStatus(to)) return { isError: true, text: `${String(to)} is not a status.` };
      const verdict = to === "completed" ? await hooks.beforeCompletion(taskId) : ALLOWED;
      if (!verdict.isAllowed) return { isError: true, text: verdict.reason };
      await updateTask(list, taskId, (task) => ({ ...task, status: to }));
      await hooks.afterTaskChange({ taskId, to });
      return done("Updated.");
    }
    const own = request.sagaTools.find(({ name }) => sagaToolName(name) === tool);
    if (!own) return { isError: true, text: `There is no tool ${tool}.` };
    const { text, isError = false } = await own.run(input);
    return { isError, text };
  }
}

const ALLOWED = { isAllowed: true } as const;

const done = (text: string): Answer => ({ isError: false, text });

const usageOf = (tokens: number) => ({
  answerId: "a1",
  model: MODEL,
  inputTokens: tokens,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  cacheWriteHourTokens: 0,
  outputTokens: 0,
  characters: 0,
});
