// The tester and the reviewer of a story that needs them: a separate agent run each, in the clean checkout
// that the checks passed in.

import { stoppedError } from "../../errors.ts";
import type { LimitOutcome } from "../../agent/agent.ts";
import { whyNoResult } from "../../agent/inspectors/no-result.ts";
import { askForVerdict } from "../../agent/inspectors/verdict-run.ts";
import { codeTree } from "../../repo/code-tree.ts";
import { storyTaskList } from "../../story/definition/names.ts";
import type { Receipt } from "../../story/receipts/receipt.ts";
import {
  inspectorPrompt,
  type Inspector,
  type StoryVerdict,
} from "../../story/receipts/inspector-verdict.ts";
import type { Range } from "../../gate/story-gate.ts";
import { storyAgentScope, storyEmployer, storyVariables } from "../agent/employer.ts";
import { budgetLeft } from "../../agent/cost.ts";
import type { TimeBudget } from "../../agent/time-budget.ts";
import type { StoryEnd } from "../ending.ts";
import { budgetLimit, endOverBudget } from "../run-limits.ts";
import type { PreparedWork } from "../context.ts";

/** Thrown if the account is at its usage limit or the budget is spent: there is no verdict then. */
export class NotInspected extends Error {
  override readonly name = "NotInspected";
  readonly end: StoryEnd;

  constructor(end: StoryEnd) {
    super(end.reason);
    this.end = end;
  }
}

interface Subject {
  readonly range: Range;
  /** A clean checkout of the commit. */
  readonly folder: string;
}

/** Runs them one after the other, and stops after the first that does not pass. */
export async function inspect(
  work: PreparedWork,
  budget: TimeBudget<StoryEnd>,
  subject: Subject,
): Promise<Receipt[]> {
  const { needsTesting, needsReview } = work.story.definition();
  const receipts: Receipt[] = [];
  for (const [inspector, isNeeded] of [
    ["test", needsTesting],
    ["review", needsReview],
  ] as const) {
    if (!isNeeded) continue;
    const receipt = await inspectWithRetries(inspector, work, budget, subject);
    receipts.push(receipt);
    if (!receipt.isPassed) break;
  }
  return receipts;
}

async function inspectWithRetries(
  inspector: Inspector,
  work: PreparedWork,
  budget: TimeBudget<StoryEnd>,
  subject: Subject,
): Promise<Receipt> {
  for (;;) {
    if (work.context.stop.aborted) throw stoppedError();
    const end = await budget.waitForUsageLimit();
    if (end) throw new NotInspected(end);
    const spent = work.context.budget?.reason();
    if (spent !== undefined) throw new NotInspected(budgetLimit(spent));
    const result = await runInspector(inspector, work, subject);
    if (!("kind" in result)) return result;
    budget.recordLimit(result);
  }
}

async function runInspector(
  inspector: Inspector,
  work: PreparedWork,
  { range, folder }: Subject,
): Promise<Receipt | LimitOutcome> {
  const { request, context, git, story, meter, ports, repository } = work;
  const taskListId = storyTaskList(request.storyId, context.now());
  const from = performance.now();
  const diff = await git.ask([
    "diff",
    "--no-color",
    "--no-ext-diff",
    `${range.from}..${range.commit}`,
    "--",
    ".",
    ":(exclude).saga",
  ]);
  // Only the tester has a shell.
  const gitDir =
    inspector === "test" && (await git.at(folder).ask(["rev-parse", "--absolute-git-dir"]));
  const { verdict, run } = await askForVerdict(storyEmployer(work, meter), {
    inspector,
    folder,
    worktreeOf: repository.project,
    taskListId,
    variables: storyVariables(work, { taskListId, folder, ports }),
    shell: gitDir ? { gitDir, repository } : undefined,
    prompt: inspectorPrompt({ inspector, story: story.definition(), tasks: story.tasks(), diff }),
    model: request.model,
    timeoutMs: context.settings.gate.inspectMinutes * 60_000,
    maxCostUsd: budgetLeft(work),
    scope: storyAgentScope(work, folder),
  });
  // An inspector that was stopped has no verdict about the work.
  if (verdict === undefined && context.stop.aborted) throw stoppedError();
  const { outcome } = run.end;
  if (verdict === undefined && outcome.kind === "limit") return outcome;
  // Without a budget there is no verdict about the work: the story waits for it.
  if (verdict === undefined && outcome.kind === "over-budget") {
    throw new NotInspected(endOverBudget(outcome, request));
  }
  return {
    at: new Date(context.now()).toISOString(),
    gate: inspector,
    tree: await codeTree(git, range.commit),
    ms: Math.round(performance.now() - from),
    ...inspection(inspector, verdict, run),
  };
}

/** Without a verdict the work has not passed. */
export const inspection = (
  inspector: Inspector,
  verdict: StoryVerdict | undefined,
  run: Parameters<typeof whyNoResult>[0],
): Pick<Receipt, "isPassed" | "how" | "findings"> => ({
  isPassed: verdict?.isPassed ?? false,
  how: verdict?.summary ?? whyNoResult(run, NO_VERDICT),
  findings: (verdict?.findings ?? []).map((finding) => ({ rule: inspector, ...finding })),
});

const NO_VERDICT = { late: "no verdict in time", otherwise: "it ended without a verdict" };
