// The model's script in the demo. It lets one machine wait in the middle of its story: that one is killed.

import type { Script } from "../../../rehearsal/model-server.ts";
import { conversation, scriptedAgent } from "../../../rehearsal/scripted-agent.ts";
import { stepsOfTask } from "../../../rehearsal/steps.ts";
import { demoStoryIds, fleetDemoSteps, testTask } from "./plan.ts";

export interface Reached {
  readonly machine: string;
  readonly story: string;
}

/** The first machine that comes to the second task of its story is the one. */
export function newScene(): { readonly script: Script; readonly reached: Promise<Reached> } {
  let chosen: Reached | undefined;
  let resolve: (reached: Reached) => void = () => undefined;
  const reached = new Promise<Reached>((fulfil) => (resolve = fulfil));
  const agent = scriptedAgent((taskId) => stepsOfTask(taskId, fleetDemoSteps(taskId)));
  return {
    reached,
    script(turn) {
      const last = conversation(turn).calls.at(-1);
      const { taskId } = (last?.input ?? {}) as { readonly taskId?: string };
      const story = demoStoryIds.find((id) => testTask(id) === taskId);
      if (chosen === undefined && story !== undefined && last?.name === "TaskGet") {
        chosen = { machine: turn.address, story };
        resolve(chosen);
      }
      if (chosen?.machine === turn.address && story === chosen.story) return { kind: "hang" };
      return agent(turn);
    },
  };
}
