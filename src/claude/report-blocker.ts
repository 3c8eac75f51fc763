// The tool that an agent asks a person with. It is the same for a story and a loose task, except for its effect.

import type { SdkMcpToolDefinition } from "@anthropic-ai/claude-agent-sdk";
import * as z from "zod";
import { answer, type Sdk } from "./tool-answer.ts";

export interface BlockerQuestion {
  readonly title: string;
  readonly body: string;
}

const QUESTION = {
  title: z.string().min(1).describe("The question, in one line."),
  body: z
    .string()
    .default("")
    .describe("What you found, what the possible answers are, and what each would mean."),
};

/** `effect` starts the tool's description, such as `Stops the work on this story`. */
export const reportBlockerTool = (
  { tool }: Pick<Sdk, "tool">,
  effect: string,
  ask: (question: BlockerQuestion) => Promise<string>,
): SdkMcpToolDefinition<typeof QUESTION> =>
  tool(
    "report_blocker",
    `${effect} with a question that only a person can answer. Use it when you cannot continue without a decision; do not guess.`,
    QUESTION,
    async ({ title, body }) => answer(await ask({ title, body })),
  );
