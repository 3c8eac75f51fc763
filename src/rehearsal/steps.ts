// The steps of the scripted agent for a task: those in its `rehearsal` field or, without one, a small change.

import * as z from "zod";
import type { AgentStep } from "./scripted-agent.ts";
import { ANYWHERE, defaultSteps, type AllowedFiles } from "./default-steps.ts";

const stepSchema = z.union([
  z.object({ write: z.string(), content: z.string() }),
  z.object({ run: z.string() }),
  z.object({ decide: z.string(), because: z.string().default("") }),
  z.object({ ask: z.string(), because: z.string().default("") }),
  z.object({ tool: z.string(), input: z.unknown() }),
]);
const stepsSchema = z.array(stepSchema);

export type RehearsalStep = z.input<typeof stepSchema>;

export function stepsOfTask(
  taskId: string,
  rehearsal: unknown,
  place: AllowedFiles = ANYWHERE,
): readonly AgentStep[] {
  const steps = stepsSchema.safeParse(rehearsal);
  return (steps.success ? steps.data : stepsSchema.parse(defaultSteps(taskId, place))).map(toStep);
}

function toStep(step: z.output<typeof stepSchema>): AgentStep {
  if ("write" in step) {
    return { tool: "Write", input: { file_path: step.write, content: step.content } };
  }
  if ("run" in step) return { tool: "Bash", input: { command: step.run, description: "Run it" } };
  if ("decide" in step) {
    const input = { kind: "decision", title: step.decide, body: step.because };
    return { tool: "mcp__saga__journal", input };
  }
  if ("ask" in step) {
    return { tool: "mcp__saga__report_blocker", input: { title: step.ask, body: step.because } };
  }
  return { tool: step.tool, input: step.input };
}
