// The agents of the documentation's examples: each does what the page describes for its task, and writes a small file by
// default.

import { PROPOSE_SPLIT } from "../../../src/agent/inspectors/propose-split.ts";
import type { Script, Turn } from "../../../src/rehearsal/model-server.ts";
import { scriptedAgent, say, type AgentStep } from "../../../src/rehearsal/scripted-agent.ts";
import { stepsOfTask, type RehearsalStep } from "../../../src/rehearsal/steps.ts";
import { poolScript, worker } from "../pool-stage.ts";
import { part, proposes } from "../planner.ts";

export interface DocAgents {
  /** By task; `told` is everything that was sent to the agent so far. */
  readonly steps?: Readonly<
    Record<string, (received: string) => readonly RehearsalStep[] | undefined>
  >;
  /** The same for loose tasks, by their number. */
  readonly pool?: Readonly<Record<string, (received: string) => readonly AgentStep[] | undefined>>;
}

export function docScript({ steps = {}, pool = {} }: DocAgents): Script {
  const loose = poolScript((task) => {
    const own = pool[task.taskId]?.(task.received);
    return worker(own && { [task.taskId]: own })(task);
  });
  const ofStory = scriptedAgent((taskId, turn) =>
    stepsOfTask(taskId, steps[taskId]?.(receivedIn(turn))),
  );
  const plan = proposes([part("first-half"), part("second-half", { blockedBy: ["first-half"] })]);
  return (turn) => {
    if (turn.tools.includes(PROPOSE_SPLIT)) return plan(turn);
    if (turn.tools.includes("mcp__saga__verdict")) {
      const input = { isPassed: true, summary: "Looked at it.", findings: [] };
      const hasAnswered = turn.messages.some(({ role }) => role === "assistant");
      return say(hasAnswered ? "That is it." : { tool: "mcp__saga__verdict", input });
    }
    return receivedIn(turn).includes("You are working on task ") ? loose(turn) : ofStory(turn);
  };
}

const receivedIn = ({ messages }: Turn): string =>
  messages
    .flatMap(({ role, content }) =>
      role === "user" ? content.flatMap((one) => (one.type === "text" ? [one.text] : [])) : [],
    )
    .join("\n");
