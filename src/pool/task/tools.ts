// Saga's tools for an agent of the pool: finish, and report_blocker to ask a person.

import type { McpSdkServerConfigWithInstance } from "@anthropic-ai/claude-agent-sdk";
import * as z from "zod";
import { reportBlockerTool, type BlockerQuestion } from "../../claude/report-blocker.ts";
import { answer, type Sdk } from "../../claude/tool-answer.ts";

/** What the agent says about its work. */
export interface Finish {
  readonly outcome: "done" | "no_changes";
  readonly summary: string;
}

/** Each returns what the agent reads. */
export interface PoolTools {
  readonly finish: (finish: Finish) => Promise<string>;
  readonly reportBlocker: (question: BlockerQuestion) => Promise<string>;
}

export const FINISH = "mcp__saga__finish";

export const poolServer = (
  { createSdkMcpServer, tool }: Sdk,
  tools: PoolTools,
): McpSdkServerConfigWithInstance =>
  createSdkMcpServer({
    name: "saga",
    tools: [
      tool(
        "finish",
        "Finishes the task. Call it once, when all of the work is done; then end your turn.",
        {
          outcome: z
            .enum(["done", "no_changes"])
            .describe("`no_changes` when the task needs no change to any file."),
          summary: z.string().min(1).describe("What you did, or why there was nothing to do."),
        },
        async ({ outcome, summary }) => answer(await tools.finish({ outcome, summary })),
      ),
      reportBlockerTool({ tool }, "Puts the task on hold", tools.reportBlocker),
    ],
  });
