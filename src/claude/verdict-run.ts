// A run of a tester or a reviewer: it looks, tries, and hands its verdict over by a tool of Saga's. A
// reviewer only reads; a tester may run commands, in a checkout that is thrown away.

import { judgeToolCall } from "./tool-call.ts";
import { headlessRun, type HeadlessEnd, type HeadlessRequest } from "./headless.ts";
import type { AgentHooks, ToolCall } from "./hooks.ts";
import type { Scope, Verdict } from "./scope.ts";
import {
  verdictFault,
  verdictSchema,
  type Inspector,
  type StoryVerdict,
} from "../story/verdict.ts";

export interface VerdictRequest extends Omit<
  HeadlessRequest,
  "kit" | "hooks" | "resume" | "moreTools" | "sandbox" | "onAnswer"
> {
  readonly inspector: Inspector;
  readonly scope: Scope;
  readonly timeoutMs: number;
  readonly onTool: (call: ToolCall, verdict: Verdict) => void;
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
const GOODBYE_MS = 15_000;

export async function askForVerdict(request: VerdictRequest): Promise<VerdictEnd> {
  const { inspector, scope, timeoutMs, onTool, stop, ...run } = request;
  const said: { verdict?: StoryVerdict } = {};
  const ended = new AbortController();
  const time = { isUp: false };
  const timers = [
    setTimeout(() => {
      time.isUp = true;
      ended.abort();
    }, timeoutMs),
  ];
  const tools = TOOLS[inspector];
  const hooks: AgentHooks = {
    beforeTool(call) {
      const verdict = judge(call);
      onTool(call, verdict);
      return verdict;
    },
    afterTaskUpdate: () => undefined,
    beforeCompletion: () => ({ isAllowed: false, reason: ONLY_LOOKS }),
  };
  try {
    const end = await headlessRun({
      ...run,
      hooks,
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
      resume: undefined,
      moreTools: [],
      sandbox: undefined,
      onAnswer: () => undefined,
      stop: AbortSignal.any([stop, ended.signal]),
    });
    return { verdict: said.verdict, hasTimedOut: time.isUp, end };
  } finally {
    timers.forEach(clearTimeout);
  }

  function judge(call: ToolCall): Verdict {
    if (call.tool === VERDICT) return { isAllowed: true };
    if (said.verdict) return { isAllowed: false, reason: "All is said. End your turn now." };
    return tools.includes(call.tool)
      ? judgeToolCall(scope, call)
      : { isAllowed: false, reason: ONLY_LOOKS };
  }

  function take(verdict: StoryVerdict) {
    const fault = verdictFault(verdict);
    if (fault !== undefined)
      return { content: [{ type: "text" as const, text: fault }], isError: true };
    said.verdict ??= verdict;
    timers.push(setTimeout(() => ended.abort(), GOODBYE_MS));
    return { content: [{ type: "text" as const, text: "Taken down. End your turn now." }] };
  }
}

const ONLY_LOOKS =
  "This run looks at a finished story and says its verdict. Nothing is started or completed here.";
