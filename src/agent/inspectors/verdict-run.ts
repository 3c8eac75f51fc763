// The agent run of a tester or a reviewer. It gives its verdict with a tool of Saga. A reviewer only reads; a
// tester may also run commands and write files, in a checkout that is deleted afterwards.

import {
  verdictProblem,
  verdictSchema,
  type Inspector,
  type StoryVerdict,
} from "../../story/receipts/inspector-verdict.ts";
import type { AgentJob, Employer } from "../job.ts";
import { runAgent, type AgentResult } from "../run-agent.ts";
import { sagaTool, sagaToolName, type SagaToolAnswer } from "../saga-tool.ts";
import type { Scope } from "../scope/scope.ts";
import { judgeToolCall } from "../tool-call.ts";
import { READING_TOOLS } from "../tool-names.ts";

export interface VerdictRequest extends Omit<
  AgentJob,
  "hooks" | "tools" | "requiredTools" | "snapshots" | "conversation"
> {
  readonly inspector: Inspector;
  readonly scope: Scope;
}

export interface VerdictEnd {
  /** Undefined if the run ended without one. */
  readonly verdict: StoryVerdict | undefined;
  readonly run: AgentResult;
}

const VERDICT = sagaToolName("verdict");
const TOOLS: Readonly<Record<Inspector, readonly string[]>> = {
  test: ["Bash", ...READING_TOOLS, "Write", "Edit"],
  review: READING_TOOLS,
};
const ONLY_JUDGES =
  "This run judges a finished story and gives a verdict. It starts and completes no tasks.";

export async function askForVerdict(
  employer: Employer,
  { inspector, scope, ...job }: VerdictRequest,
): Promise<VerdictEnd> {
  let verdict: StoryVerdict | undefined;
  const tools = TOOLS[inspector];
  const run = await runAgent(employer, {
    ...job,
    tools,
    requiredTools: [VERDICT],
    hooks({ finish }) {
      const record = (given: StoryVerdict): SagaToolAnswer => {
        const problem = verdictProblem(given);
        if (problem !== undefined) return { text: problem, isError: true };
        verdict ??= given;
        finish("Your verdict is recorded. End your turn now.");
        return { text: "Recorded. End your turn now." };
      };
      return {
        sagaTools: [
          sagaTool("verdict", "Records your verdict. Call it once.", verdictSchema.shape, record),
        ],
        judge: (call) =>
          call.tool === VERDICT
            ? { isAllowed: true }
            : tools.includes(call.tool)
              ? judgeToolCall(scope, call)
              : { isAllowed: false, reason: ONLY_JUDGES },
        tasks: ONLY_JUDGES,
      };
    },
  });
  return { verdict, run };
}
