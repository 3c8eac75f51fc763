// The planning run: a short headless run that looks at the code and proposes how the rest of a task is
// split. It reads, and hands its proposal over by a tool of Saga's; everything else is refused. What it
// says in prose is nobody's business.

import type { McpSdkServerConfigWithInstance } from "@anthropic-ai/claude-agent-sdk";
import * as z from "zod";
import {
  parseProposal,
  problemSentences,
  proposalSchema,
  type Proposal,
} from "../../story/plan/split-proposal.ts";
import type { SplitResult } from "../../story/plan/split.ts";
import { startDeadline } from "../deadline.ts";
import type { HeadlessEnd } from "../../claude/run.ts";
import type { ToolCall } from "../../claude/sdk-hooks.ts";
import { judgePaths, type Scope, type ScopeVerdict } from "../scope/scope.ts";
import { sideRun, whyNoResult, type SideRequest } from "./side-run.ts";
import { answer, objection, type AnswerToAgent, type Sdk } from "../../claude/tool-answer.ts";

export interface PlanningRequest extends Omit<SideRequest, "kit" | "judge" | "noCompletion"> {
  readonly scope: Scope;
  /** What would come of it: the same judgement that decides when it is written. */
  readonly judge: (proposal: Proposal) => SplitResult;
  readonly timeoutMs: number;
}

export type Planned =
  | { readonly kind: "proposed"; readonly proposal: Proposal }
  /** Sentences: what was wrong with the last proposal, or why there is none. */
  | { readonly kind: "failed"; readonly problems: readonly string[] }
  /** Nobody's fault, and it passes. */
  | Extract<HeadlessEnd["outcome"], { kind: "limit" }>
  | { readonly kind: "stopped" };

export interface PlanningEnd {
  readonly planned: Planned;
  readonly end: HeadlessEnd;
}

export const PROPOSE_SPLIT = "mcp__saga__propose_split";
const READING: ReadonlySet<string> = new Set(["Read", "Glob", "Grep"]);
const MAX_PROPOSALS = 3;
/** How long it may take to say goodbye when all is said. */
const FINAL_GRACE_MS = 15_000;

export async function proposeSplit(request: PlanningRequest): Promise<PlanningEnd> {
  const { scope, judge, timeoutMs, stop, ...run } = request;
  const talk: Talk = { proposal: undefined, problems: [], invalid: 0 };
  const deadline = startDeadline(timeoutMs, stop);

  const propose = (tasks: unknown): AnswerToAgent => {
    if (isOver(talk)) return answer("Nothing more is needed. End your turn now.");
    const problems = faultsOf({ tasks }, judge, talk);
    if (isOver(talk)) deadline.allowGrace(FINAL_GRACE_MS);
    if (problems.length === 0) return answer("Taken over. End your turn now.");
    const sentences = problems.map((problem) => `- ${problem}`).join("\n");
    return objection(
      isOver(talk)
        ? `This cannot be taken over either:\n${sentences}\nEnd your turn now.`
        : `This cannot be taken over. Correct it, and call propose_split again:\n${sentences}`,
    );
  };
  try {
    const end = await sideRun({
      ...run,
      judge: (call) => judgeCall(scope, call, talk),
      noCompletion: ONLY_READS,
      kit: {
        tools: [...READING],
        required: [PROPOSE_SPLIT],
        server: (sdk) => planningServer(sdk, propose),
      },
      stop: deadline.signal,
    });
    return {
      end,
      planned: judgePlanning(talk, end, { isStopped: stop.aborted, isLate: deadline.hasPassed() }),
    };
  } finally {
    deadline.clear();
  }
}

interface Talk {
  proposal: Proposal | undefined;
  problems: readonly string[];
  invalid: number;
}

const isOver = ({ proposal, invalid }: Talk): boolean =>
  proposal !== undefined || invalid >= MAX_PROPOSALS;

function faultsOf(json: unknown, judge: PlanningRequest["judge"], talk: Talk): readonly string[] {
  const parsed = parseProposal(json);
  const split = parsed.proposal && judge(parsed.proposal);
  if (split?.kind === "split") {
    talk.proposal = parsed.proposal;
    return [];
  }
  talk.invalid++;
  talk.problems = problemSentences(split?.findings ?? parsed.findings ?? []);
  return talk.problems;
}

/** Whatever it proposed in time counts, however it ended. */
function judgePlanning(
  { proposal, problems, invalid }: Talk,
  { outcome }: HeadlessEnd,
  { isStopped, isLate }: { readonly isStopped: boolean; readonly isLate: boolean },
): Planned {
  if (proposal !== undefined) return { kind: "proposed", proposal };
  if (isStopped) return { kind: "stopped" };
  if (invalid >= MAX_PROPOSALS) return { kind: "failed", problems };
  if (outcome.kind === "limit") return outcome;
  const why = isLate
    ? "The planning run took too long."
    : whyNoResult(outcome, "The planning run ended without a proposal that can be taken over.");
  return { kind: "failed", problems: [...problems, why] };
}

const ONLY_READS =
  "This run only reads, and proposes with propose_split. Nothing is changed, started or completed here.";

function judgeCall(scope: Scope, call: ToolCall, talk: Talk): ScopeVerdict {
  if (call.tool === PROPOSE_SPLIT) return { isAllowed: true };
  if (isOver(talk)) return { isAllowed: false, reason: "All is said. End your turn now." };
  return READING.has(call.tool)
    ? judgePaths(scope, call)
    : { isAllowed: false, reason: ONLY_READS };
}

function planningServer(
  { createSdkMcpServer, tool }: Sdk,
  propose: (tasks: unknown) => AnswerToAgent,
): McpSdkServerConfigWithInstance {
  const { $schema: _, ...form } = z.toJSONSchema(proposalSchema.shape.tasks, {
    io: "input",
    // How a name is made is said in words; a service may not understand every pattern.
    override: ({ jsonSchema }) => {
      delete jsonSchema.pattern;
      delete jsonSchema.maximum;
    },
  });
  return createSdkMcpServer({
    name: "saga",
    tools: [
      tool(
        "propose_split",
        "Hands over the new tasks. It answers what is wrong with them, if anything, so that you can correct it.",
        // The model sees the form; what does not keep to it is explained here, and counted.
        {
          tasks: z
            .unknown()
            .optional()
            .meta({ ...form, description: "The new tasks, in order." }),
        },
        async ({ tasks }) => propose(tasks),
      ),
    ],
  });
}
