// The planning run: a short agent run that reads the code and proposes how to split the rest of a task. It
// gives its proposal with a tool of Saga; every other tool that does not read is refused. Its prose is ignored.

import * as z from "zod";
import {
  parseProposal,
  problemSentences,
  proposalSchema,
  type Proposal,
} from "../../story/plan/split-proposal.ts";
import type { SplitResult } from "../../story/plan/split.ts";
import type { LimitOutcome } from "../agent.ts";
import type { AgentJob, Employer } from "../job.ts";
import { runAgent, type AgentResult } from "../run-agent.ts";
import { sagaTool, sagaToolName, type SagaTool, type SagaToolAnswer } from "../saga-tool.ts";
import { judgePaths, type Scope } from "../scope/scope.ts";
import { READING_TOOLS } from "../tool-names.ts";
import { whyNoResult } from "./no-result.ts";

export interface PlanningRequest extends Omit<
  AgentJob,
  "hooks" | "tools" | "requiredTools" | "shell" | "snapshots" | "conversation" | "folder"
> {
  readonly scope: Scope;
  /** Judges a proposal with the same rules that apply when it is written. */
  readonly judge: (proposal: Proposal) => SplitResult;
}

export type Planned =
  | { readonly kind: "proposed"; readonly proposal: Proposal }
  /** Sentences: what is wrong with the last proposal, or why there is none. */
  | { readonly kind: "failed"; readonly problems: readonly string[] }
  /** The account's usage limit: try again later. */
  | LimitOutcome
  | { readonly kind: "stopped" };

export const PROPOSE_SPLIT = sagaToolName("propose_split");
const MAX_PROPOSALS = 3;
const NO_MORE = "No further proposal is needed. End your turn now.";
const ONLY_READS =
  "This run only reads, and proposes with propose_split. It changes, starts and completes nothing.";

export async function proposeSplit(
  employer: Employer,
  { scope, judge, ...job }: PlanningRequest,
): Promise<Planned> {
  const state: PlanningState = { proposal: undefined, problems: [], invalid: 0 };
  const run = await runAgent(employer, {
    ...job,
    folder: scope.worktree,
    tools: READING_TOOLS,
    requiredTools: [PROPOSE_SPLIT],
    hooks({ finish }) {
      const propose = (tasks: unknown): SagaToolAnswer => {
        if (isOver(state)) return { text: NO_MORE };
        const problems = proposalProblems({ tasks }, judge, state);
        if (isOver(state)) finish(NO_MORE);
        if (problems.length === 0) return { text: "Accepted. End your turn now." };
        const sentences = problems.map((problem) => `- ${problem}`).join("\n");
        const text = isOver(state)
          ? `This proposal has problems too:\n${sentences}\nEnd your turn now.`
          : `This proposal has problems. Correct them, and call propose_split again:\n${sentences}`;
        return { text, isError: true };
      };
      return {
        sagaTools: [proposeTool(propose)],
        judge: (call) =>
          call.tool === PROPOSE_SPLIT
            ? { isAllowed: true }
            : READING_TOOLS.includes(call.tool)
              ? judgePaths(scope, call)
              : { isAllowed: false, reason: ONLY_READS },
        tasks: ONLY_READS,
      };
    },
  });
  return judgePlanning(state, run, employer.stop.aborted);
}

export interface PlanningState {
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
export function judgePlanning(
  { proposal, problems, invalid }: PlanningState,
  run: AgentResult,
  isStopped: boolean,
): Planned {
  if (proposal !== undefined) return { kind: "proposed", proposal };
  if (isStopped) return { kind: "stopped" };
  if (invalid >= MAX_PROPOSALS) return { kind: "failed", problems };
  const { outcome } = run.end;
  if (outcome.kind === "limit") return outcome;
  const why = whyNoResult(run, {
    late: "The planning run took too long.",
    otherwise: "The planning run ended without a valid proposal.",
  });
  return { kind: "failed", problems: [...problems, why] };
}

function proposeTool(propose: (tasks: unknown) => SagaToolAnswer): SagaTool {
  const { $schema: _, ...form } = z.toJSONSchema(proposalSchema.shape.tasks, {
    io: "input",
    // The prompt explains how ids look; a service may not support every pattern.
    override: ({ jsonSchema }) => {
      delete jsonSchema.pattern;
      delete jsonSchema.maximum;
    },
  });
  return sagaTool(
    "propose_split",
    "Proposes the new tasks. If they have problems, the answer lists them, so that you can correct them.",
    // The schema is only shown to the model; Saga validates the input itself, to explain and count problems.
    {
      tasks: z
        .unknown()
        .optional()
        .meta({ ...form, description: "The new tasks, in order." }),
    },
    ({ tasks }) => propose(tasks),
  );
}
