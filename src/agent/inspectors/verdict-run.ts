// The agent run of a tester or a reviewer. It gives its verdict with a tool of Saga. A reviewer only reads; a
// tester may also run commands and write files, in a checkout that is deleted afterwards.

import {
  verdictProblem,
  verdictSchema,
  type Inspector,
  type StoryVerdict,
} from "../../story/receipts/inspector-verdict.ts";
import { startDeadline } from "../deadline.ts";
import type { HeadlessEnd } from "../../claude/run.ts";
import type { ToolCall } from "../../claude/sdk-hooks.ts";
import type { Scope, ScopeVerdict } from "../scope/scope.ts";
import { sideRun, type SideRequest } from "./side-run.ts";
import { answer, objection, type AnswerToAgent } from "../../claude/tool-answer.ts";
import { judgeToolCall } from "../tool-call.ts";

export interface VerdictRequest extends Omit<SideRequest, "kit" | "judge" | "noCompletion"> {
  readonly inspector: Inspector;
  readonly scope: Scope;
  readonly timeoutMs: number;
}

export interface VerdictEnd {
  /** Undefined if the run ended without one. */
  readonly verdict: StoryVerdict | undefined;
  readonly hasTimedOut: boolean;
  readonly end: HeadlessEnd;
}

const VERDICT = "mcp__saga__verdict";
const TOOLS: Readonly<Record<Inspector, readonly string[]>> = {
  test: ["Bash", "Read", "Glob", "Grep", "Write", "Edit"],
  review: ["Read", "Glob", "Grep"],
};
/** How long it may take to end after its verdict. */
const FINAL_GRACE_MS = 15_000;

export async function askForVerdict(request: VerdictRequest): Promise<VerdictEnd> {
  const { inspector, scope, timeoutMs, stop, ...run } = request;
  let verdict: StoryVerdict | undefined;
  const deadline = startDeadline(timeoutMs, stop);
  const tools = TOOLS[inspector];
  try {
    const end = await sideRun({
      ...run,
      judge,
      noCompletion: ONLY_JUDGES,
      kit: {
        tools,
        required: [VERDICT],
        server: ({ createSdkMcpServer, tool }) =>
          createSdkMcpServer({
            name: "saga",
            tools: [
              tool(
                "verdict",
                "Records your verdict. Call it once.",
                verdictSchema.shape,
                async (input) => record(verdictSchema.parse(input)),
              ),
            ],
          }),
      },
      stop: deadline.signal,
    });
    return { verdict, hasTimedOut: deadline.hasPassed(), end };
  } finally {
    deadline.clear();
  }

  function judge(call: ToolCall): ScopeVerdict {
    if (call.tool === VERDICT) return { isAllowed: true };
    if (verdict)
      return { isAllowed: false, reason: "Your verdict is recorded. End your turn now." };
    return tools.includes(call.tool)
      ? judgeToolCall(scope, call)
      : { isAllowed: false, reason: ONLY_JUDGES };
  }

  function record(given: StoryVerdict): AnswerToAgent {
    const problem = verdictProblem(given);
    if (problem !== undefined) return objection(problem);
    verdict ??= given;
    deadline.allowGrace(FINAL_GRACE_MS);
    return answer("Recorded. End your turn now.");
  }
}

const ONLY_JUDGES =
  "This run judges a finished story and gives a verdict. It starts and completes no tasks.";
