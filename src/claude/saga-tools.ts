// Saga's own tools for an agent: a line in the story's journal, and the question that stops the work.

import type { McpSdkServerConfigWithInstance } from "@anthropic-ai/claude-agent-sdk";
import * as z from "zod";

export interface SagaTools {
  /** The answer is what the agent reads. */
  readonly journal: (entry: JournalNote) => Promise<string>;
  readonly reportBlocker: (question: { title: string; body: string }) => Promise<string>;
}

export interface JournalNote {
  readonly kind: "decision" | "diversion";
  readonly title: string;
  readonly body: string;
}

type Sdk = typeof import("@anthropic-ai/claude-agent-sdk");

export function sagaServer(
  { createSdkMcpServer, tool }: Sdk,
  tools: SagaTools,
): McpSdkServerConfigWithInstance {
  return createSdkMcpServer({
    name: "saga",
    tools: [
      tool(
        "journal",
        "Records a decision you made, or a diversion from what the story asked for, in the story's journal, where people read it.",
        {
          kind: z.enum(["decision", "diversion"]),
          title: z.string().min(1).describe("One line: what was decided."),
          body: z.string().default("").describe("Why, and what else was possible."),
        },
        async ({ kind, title, body }) => answer(await tools.journal({ kind, title, body })),
      ),
      tool(
        "report_blocker",
        "Stops the work on this story with a question that only a person can answer. Use it when you cannot go on without a decision; never guess instead.",
        {
          title: z.string().min(1).describe("The question, in one line."),
          body: z
            .string()
            .default("")
            .describe("What you found, what the possible answers are, and what each would mean."),
        },
        async ({ title, body }) => answer(await tools.reportBlocker({ title, body })),
      ),
    ],
  });
}

const answer = (text: string): { content: { type: "text"; text: string }[] } => ({
  content: [{ type: "text", text }],
});
