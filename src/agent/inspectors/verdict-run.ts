// A run of a tester or a reviewer: it looks, tries, and hands its verdict over by a tool of Saga's. A
// reviewer only reads; a tester may run commands, in a checkout that is thrown away.

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
  /** Nothing when it ended without one. */
  readonly verdict: StoryVerdict | undefined;
  readonly hasTimedOut: boolean;
  readonly end: HeadlessEnd;
}

const VERDICT = "mcp__saga__verdict";
const TOOLS: Readonly<Record<Inspector, readonly string[]>> = {
  test: ["Bash", "Read", "Glob", "Grep", "Write", "Edit"],
  review: ["Read", "Glob", "Grep"],
};
/** How long it may take to say goodbye when all is said. */
const FINAL_GRACE_MS = 15_000;

export async function askForVerdict(request: VerdictRequest): Promise<VerdictEnd> {
  const { inspector, scope, timeoutMs, stop, ...run } = request;
  const said: { verdict?: StoryVerdict } = {};
  const deadline = startDeadline(timeoutMs, stop);
  const tools = TOOLS[inspector];
  try {
    const end = await sideRun({
      ...run,
      judge,
      noCompletion: ONLY_LOOKS,
      kit: {
        tools,
        required: [VERDICT],
        server: ({ createSdkMcpServer, tool }) =>
          createSdkMcpServer({
            name: "saga",
            tools: [
              tool(
                "verdict",
                "Hands over your verdict, once.",
                verdictSchema.shape,
                async (given) => take(verdictSchema.parse(given)),
              ),
            ],
          }),
      },
      stop: deadline.signal,
    });
    return { verdict: said.verdict, hasTimedOut: deadline.hasPassed(), end };
  } finally {
    deadline.clear();
  }

  function judge(call: ToolCall): ScopeVerdict {
    if (call.tool === VERDICT) return { isAllowed: true };
    if (said.verdict) return { isAllowed: false, reason: "All is said. End your turn now." };
    return tools.includes(call.tool)
      ? judgeToolCall(scope, call)
      : { isAllowed: false, reason: ONLY_LOOKS };
  }

  function take(verdict: StoryVerdict): AnswerToAgent {
    const fault = verdictProblem(verdict);
    if (fault !== undefined) return objection(fault);
    said.verdict ??= verdict;
    deadline.allowGrace(FINAL_GRACE_MS);
    return answer("Taken down. End your turn now.");
  }
}

const ONLY_LOOKS =
  "This run looks at a finished story and says its verdict. Nothing is started or completed here.";
