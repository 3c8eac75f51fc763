// The tool by which an agent stops with a question that only a person can answer: the same for a story and
// for a loose task, but for what comes of it.

import type { SdkMcpToolDefinition } from "@anthropic-ai/claude-agent-sdk";
import * as z from "zod";
import { answer, type Sdk } from "./tool-answer.ts";

export interface BlockerQuestion {
  readonly title: string;
  readonly body: string;
}

const ASKED = {
  title: z.string().min(1).describe("The question, in one line."),
  body: z
    .string()
    .default("")
    .describe("What you found, what the possible answers are, and what each would mean."),
};

/** `effect` is what it does, as the beginning of a sentence: `Stops the work on this story`. */
export const reportBlockerTool = (
  { tool }: Pick<Sdk, "tool">,
  effect: string,
  ask: (question: BlockerQuestion) => Promise<string>,
): SdkMcpToolDefinition<typeof ASKED> =>
  tool(
    "report_blocker",
    `${effect} with a question that only a person can answer. Use it when you cannot go on without a decision; never guess instead.`,
    ASKED,
    async ({ title, body }) => answer(await ask({ title, body })),
  );
