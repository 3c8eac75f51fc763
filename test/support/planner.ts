// A scripted model for tests of splits: it hangs, grows or works on tasks, and proposes splits on request.

import { PROPOSE_SPLIT } from "../../src/agent/inspectors/propose-split.ts";
import type { Reply, Script, Turn } from "../../src/rehearsal/model-server.ts";
import { conversation, say } from "../../src/rehearsal/scripted-agent.ts";
import { follows, STORY, type Stage } from "./stage.ts";

export const part = (id: string, more: Record<string, unknown> = {}): Record<string, unknown> => ({
  id,
  subject: `Do ${id}`,
  description: `How to do ${id}, a part.`,
  writeFiles: [`rehearsal/${id}.md`],
  estimatedLines: 10,
  ...more,
});

/** The new tasks for the task `form` of a stage. */
export const PARTS = [part("fields"), part("style", { blockedBy: ["fields"] })];

export const isPlanning = (turn: Turn): boolean => turn.tools.includes(PROPOSE_SPLIT);

/** Proposes these one after the other, until one is accepted or none is left. */
export function proposes(...proposals: readonly unknown[]): (turn: Turn) => Reply {
  return (turn) => {
    const { calls } = conversation(turn);
    const made = calls.filter(({ name }) => name === PROPOSE_SPLIT);
    const next = proposals[made.length];
    const isTaken = made.some(({ isError }) => !isError);
    if (isTaken || next === undefined) return say("That is it.");
    return say({ tool: PROPOSE_SPLIT, input: { tasks: next } });
  };
}

/** Whether the agent has just read this task, and made this many calls since. */
export function isAt(turn: Turn, description: string, steps = 0): boolean {
  const { calls } = conversation(turn);
  const shown = calls.findLastIndex(({ name }) => name === "TaskGet");
  return (
    shown >= 0 &&
    calls.length - 1 - shown === steps &&
    (calls[shown]?.answer.includes(description) ?? false)
  );
}

export const HANG: Reply = { kind: "hang" };

/** Plans with the one, works with the other. */
export const either =
  (plan: (turn: Turn) => Reply | Promise<Reply>, work: Script): Script =>
  (turn) =>
    isPlanning(turn) ? plan(turn) : work(turn);

/** Short, and yet longer than Claude Code needs to start on a busy machine. */
export const WATCH = "[watch]\ncheck_in_minutes = 0.06\n";

/** The description of `form` before it was split. */
export const ORIGINAL = "How to do form.";

/** Never does a thing for `form` as it was; works on everything else. */
export const stalls: Script = (turn) => (isAt(turn, ORIGINAL) ? HANG : follows()(turn));

export const trailers = (stage: Stage, key: string): string[] =>
  stage
    .git("log", "--reverse", `--format=%(trailers:key=${key},valueonly)`, `story/${STORY}`)
    .split("\n")
    .filter((line) => line !== "");

/** Steps that write this many small files. */
export const newFiles = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ write: `grown/${at}.txt`, content: "one\ntwo\n" }));
