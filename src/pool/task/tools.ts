// Saga's tools for an agent of the pool: finish, and report_blocker to ask a person.

import * as z from "zod";
import {
  reportBlockerTool,
  sagaTool,
  sagaToolName,
  type BlockerQuestion,
  type SagaTool,
} from "../../agent/saga-tool.ts";

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

export const FINISH = sagaToolName("finish");

export const poolTools = (tools: PoolTools): readonly SagaTool[] => [
  sagaTool(
    "finish",
    "Finishes the task. Call it once, when all of the work is done; then end your turn.",
    {
      outcome: z
        .enum(["done", "no_changes"])
        .describe("`no_changes` when the task needs no change to any file."),
      summary: z.string().min(1).describe("What you did, or why there was nothing to do."),
    },
    async (finish) => ({ text: await tools.finish(finish) }),
  ),
  reportBlockerTool("Puts the task on hold", tools.reportBlocker),
];
