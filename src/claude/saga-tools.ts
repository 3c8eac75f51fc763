// Saga's tools for a story's agent: an entry in the journal, and a question that stops the work.

import type { McpSdkServerConfigWithInstance } from "@anthropic-ai/claude-agent-sdk";
import * as z from "zod";
import { reportBlockerTool, type BlockerQuestion } from "./report-blocker.ts";
import { answer, type Sdk } from "./tool-answer.ts";

export interface SagaTools {
  /** Returns what the agent reads. */
  readonly journal: (entry: JournalNote) => Promise<string>;
  readonly reportBlocker: (question: BlockerQuestion) => Promise<string>;
}

export interface JournalNote {
  readonly kind: "decision" | "diversion";
  readonly title: string;
  readonly body: string;
}

export function sagaServer(
  { createSdkMcpServer, tool }: Sdk,
  tools: SagaTools,
): McpSdkServerConfigWithInstance {
  return createSdkMcpServer({
    name: "saga",
    tools: [
      tool(
        "journal",
        "Records a decision you made, or a diversion from what the story asked for, in the story's journal. People read it.",
        {
          kind: z.enum(["decision", "diversion"]),
          title: z.string().min(1).describe("One line: what was decided."),
          body: z.string().default("").describe("Why, and what else was possible."),
        },
        async ({ kind, title, body }) => answer(await tools.journal({ kind, title, body })),
      ),
      reportBlockerTool({ tool }, "Stops the work on this story", tools.reportBlocker),
    ],
  });
}
