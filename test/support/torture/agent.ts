// The agents of a torture: they do what each task asks, once, think for a while in between, and tell
// when they are asked for something that is done already.

import { setTimeout as wait } from "node:timers/promises";
import type { Reply, Script, Turn } from "../../../src/rehearsal/model-server.ts";
import {
  conversation,
  scriptedAgent,
  say,
  type AgentStep,
} from "../../../src/rehearsal/scripted-agent.ts";
import { numbers } from "../seeded.ts";
import { bash, finish } from "../pool-stage.ts";

export interface AgentOptions {
  readonly seed: number;
  /** Its maximum thinking time. */
  readonly slownessMs: () => number;
  /** Its agent also writes into the journal. */
  readonly decides: (taskId: string) => boolean;
  readonly onTurn: () => void;
  /** An agent starts a task of a story, or of the pool. */
  readonly onBegin: (taskId: string, isPool: boolean) => void;
}

/** The result of a task: its own line in its own file. */
export const fileOf = (taskId: string): string => `work/${taskId}.txt`;
export const lineOf = (taskId: string): string => `The work of ${taskId}.`;
export const poolFileOf = (taskId: string): string => `pool/${taskId}.txt`;

export function torturedAgent(options: AgentOptions): Script {
  const next = numbers(options.seed);
  const story = scriptedAgent((taskId, turn) => {
    if (conversation(turn).calls.at(-1)?.name === "TaskGet") options.onBegin(taskId, false);
    return untilDone(stepsOf(taskId, options.decides(taskId)), turn);
  });
  return async (turn) => {
    options.onTurn();
    await wait(next() * options.slownessMs());
    const poolTask = poolTaskOf(turn);
    if (poolTask === undefined) return story(turn);
    const { calls } = conversation(turn);
    if (calls.length === 0) options.onBegin(poolTask, true);
    return poolReply(poolTask, calls.filter(({ isError }) => !isError).length);
  };
}

/**
 * A file that is there already was left by an agent that was killed over it. On a disk that does not take
 * it for a while, it is tried again, as anyone would who looks at what came of it.
 */
const leave = (file: string, line: string): AgentStep => {
  const folder = file.slice(0, file.indexOf("/"));
  const once = `mkdir -p ${folder} && { grep -qxF '${line}' ${file} || echo '${line}' >> ${file}; }`;
  return bash(`for try in $(seq 300); do ${once} && break; sleep 0.2; done`);
};

const MOST_CALLS = 30;

/** Refused or failed calls are repeated. */
function untilDone(steps: readonly AgentStep[], turn: Turn): readonly AgentStep[] {
  const { calls } = conversation(turn);
  const made = calls.slice(calls.findLastIndex(({ name }) => name === "TaskGet") + 1);
  if (made.length > MOST_CALLS) return steps;
  const done = made.filter(({ name, isError }) => name !== "TaskUpdate" && !isError).length;
  return [...made.map(({ name, input }) => ({ tool: name, input })), ...steps.slice(done)];
}

function stepsOf(taskId: string, decides: boolean): AgentStep[] {
  // Fix and conflict tasks have no work of their own here.
  if (taskId.startsWith("resolve") || taskId.startsWith("fix")) {
    return [bash("git checkout --ours . 2>&1; git add --all")];
  }
  const decision = { kind: "decision", title: `How to do ${taskId}`, body: "In one line." };
  return [
    bash(`cat ${fileOf(taskId)} 2> /dev/null; true`),
    ...(decides ? [{ tool: "mcp__saga__journal", input: decision }] : []),
    leave(fileOf(taskId), lineOf(taskId)),
  ];
}

function poolReply(taskId: string, calls: number): Reply {
  const steps = [leave(poolFileOf(taskId), lineOf(taskId)), finish()];
  return say(steps[calls] ?? "Goodbye.");
}

function poolTaskOf(turn: Turn): string | undefined {
  const texts = turn.messages.flatMap(({ role, content }) =>
    role === "user" ? content.flatMap((one) => (one.type === "text" ? [one.text] : [])) : [],
  );
  const prompt = texts.find((text) => text.includes("You are working on task "));
  return /You are working on task (?<id>\S+) of/.exec(prompt ?? "")?.groups?.["id"];
}
