// The planning run: a short agent run that reads the code and proposes how to split the rest of a task. It
// gives its proposal with a tool of Saga; every other tool that does not read is refused. Its prose is ignored.

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
  /** Judges a proposal with the same rules that apply when it is written. */
  readonly judge: (proposal: Proposal) => SplitResult;
  readonly timeoutMs: number;
}

export type Planned =
  | { readonly kind: "proposed"; readonly proposal: Proposal }
  /** Sentences: what is wrong with the last proposal, or why there is none. */
  | { readonly kind: "failed"; readonly problems: readonly string[] }
  /** The account's usage limit: try again later. */
  | Extract<HeadlessEnd["outcome"], { kind: "limit" }>
  | { readonly kind: "stopped" };

export interface PlanningEnd {
  readonly planned: Planned;
  readonly end: HeadlessEnd;
}

export const PROPOSE_SPLIT = "mcp__saga__propose_split";
const READING: ReadonlySet<string> = new Set(["Read", "Glob", "Grep"]);
const MAX_PROPOSALS = 3;
/** How long it may take to end after its last proposal. */
const FINAL_GRACE_MS = 15_000;

export async function proposeSplit(request: PlanningRequest): Promise<PlanningEnd> {
  const { scope, judge, timeoutMs, stop, ...run } = request;
  const state: PlanningState = { proposal: undefined, problems: [], invalid: 0 };
  const deadline = startDeadline(timeoutMs, stop);

  const propose = (tasks: unknown): AnswerToAgent => {
    if (isOver(state)) return answer("No further proposal is needed. End your turn now.");
    const problems = proposalProblems({ tasks }, judge, state);
    if (isOver(state)) deadline.allowGrace(FINAL_GRACE_MS);
    if (problems.length === 0) return answer("Accepted. End your turn now.");
    const sentences = problems.map((problem) => `- ${problem}`).join("\n");
    return objection(
      isOver(state)
        ? `This proposal has problems too:\n${sentences}\nEnd your turn now.`
        : `This proposal has problems. Correct them, and call propose_split again:\n${sentences}`,
    );
  };
  try {
    const end = await sideRun({
      ...run,
      judge: (call) => judgeCall(scope, call, state),
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
      planned: judgePlanning(state, end, { isStopped: stop.aborted, isLate: deadline.hasPassed() }),
    };
  } finally {
    deadline.clear();
  }
}

interface PlanningState {
  proposal: Proposal | undefined;
  problems: readonly string[];
  invalid: number;
}

const isOver = ({ proposal, invalid }: PlanningState): boolean =>
  proposal !== undefined || invalid >= MAX_PROPOSALS;

function proposalProblems(
  json: unknown,
  judge: PlanningRequest["judge"],
  state: PlanningState,
): readonly string[] {
  const parsed = parseProposal(json);
  const split = parsed.proposal && judge(parsed.proposal);
  if (split?.kind === "split") {
    state.proposal = parsed.proposal;
    return [];
  }
  state.invalid++;
  state.problems = problemSentences(split?.problems ?? parsed.problems ?? []);
  return state.problems;
}

/** A valid proposal counts, however the run ended. */
function judgePlanning(
  { proposal, problems, invalid }: PlanningState,
  { outcome }: HeadlessEnd,
  { isStopped, isLate }: { readonly isStopped: boolean; readonly isLate: boolean },
): Planned {
  if (proposal !== undefined) return { kind: "proposed", proposal };
  if (isStopped) return { kind: "stopped" };
  if (invalid >= MAX_PROPOSALS) return { kind: "failed", problems };
  if (outcome.kind === "limit") return outcome;
  const why = isLate
    ? "The planning run took too long."
    : whyNoResult(outcome, "The planning run ended without a valid proposal.");
  return { kind: "failed", problems: [...problems, why] };
}

const ONLY_READS =
  "This run only reads, and proposes with propose_split. It changes, starts and completes nothing.";

function judgeCall(scope: Scope, call: ToolCall, state: PlanningState): ScopeVerdict {
  if (call.tool === PROPOSE_SPLIT) return { isAllowed: true };
  if (isOver(state))
    return { isAllowed: false, reason: "No further proposal is needed. End your turn now." };
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
    // The prompt explains how ids look; a service may not support every pattern.
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
        "Proposes the new tasks. If they have problems, the answer lists them, so that you can correct them.",
        // The schema is only shown to the model; Saga validates the input itself, to explain and count problems.
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
