// Builds the cards of stories, epics and problems from what was read. Pure.

import { relative } from "node:path";
import type { Problem } from "../../errors.ts";
import { attentionTo } from "../../store/views/attention.ts";
import type { LeaseState } from "../../store/leases/leases.ts";
import type { Membership, StoryView } from "../../store/views/overview.ts";
import { isBegun, viewRecord } from "../../store/views/overview.ts";
import type { StoryOutline } from "../../store/project/read.ts";
import type { LastRun } from "../../store/runs/last-run.ts";
import type { Epic } from "../../story/definition/epic.ts";
import { rounded } from "../../story/money/amounts.ts";
import { costOf } from "../../story/money/spending.ts";
import type { Run } from "../../story/state/run.ts";
import { epicStatus, isInFlight, type StoryState } from "../../story/state/state.ts";
import { localDay } from "../../text/local-day.ts";
import type {
  EpicCard,
  ProblemCard,
  ProjectCard,
  RunCard,
  StoryCard,
  TaskCard,
} from "../protocol/messages.ts";
import type { LastAction } from "../project/runs-cache.ts";
import type { ReviewFacts } from "./review-facts.ts";

/** The part of a story's files that a card shows. */
export interface CachedStory extends StoryOutline {
  readonly tasks: readonly TaskCard[];
}

export interface CardFacts {
  readonly record: CachedStory;
  readonly lease: LeaseState | undefined;
  /** Newest first. */
  readonly runs: readonly Run[];
  /** What the runs say about the story. */
  readonly lastRun: LastRun;
  readonly hasLostWorktree: (storyId: string) => boolean;
  readonly lastAction: LastAction | undefined;
  /** Known if it is in review. */
  readonly review?: ReviewFacts | undefined;
  readonly version: number;
}

export function storyCard(facts: CardFacts, membership: Membership): StoryCard {
  const { runs, version } = facts;
  const view = viewRecord(facts.record, membership, facts);
  const { record } = view;
  const { story, source } = record;
  const isArchived = source === "archive";
  const { state } = view;
  return {
    id: story.id,
    title: story.title,
    state,
    isBegun: isArchived || isBegun(view),
    epic: view.epicId,
    ...(isArchived && { isArchived }),
    labels: story.labels,
    priority: story.priority,
    tasks: record.tasks,
    waitsFor: view.waitsFor,
    question: view.openBlockers[0]?.title,
    blocker: view.openBlockers[0]?.blocker,
    openQuestions: view.openBlockers.length,
    reason: reasonOf(view, runs[0]),
    acceptedAt: state === "review" ? acceptedAt(runs) : undefined,
    attention: attentionTo(view, facts.review?.weakened),
    ...(state === "review" && facts.review && { risk: facts.review.risk }),
    pr: story.pr,
    branch: story.branch,
    worktree: source === "worktree" ? worktreeOf(record.folder) : undefined,
    run: runs[0] && runCard(runs[0], facts.lastAction),
    costUsd: totalCost(runs),
    ...estimateFlag(runs),
    version,
  };
}

const reasonOf = ({ state }: StoryView, last: Run | undefined): string | undefined =>
  (state === "blocked" || isInFlight(state)) && last?.discardedAt === undefined
    ? last?.reason
    : undefined;

/**
 * The time of a person's approval, if no worker has run since. Runs without a worker, such as `saga verify`, do not
 * count. For display only: a merge checks the sealed receipts.
 */
function acceptedAt(runs: readonly Run[]): string | undefined {
  const last = runs.find(({ hasWord, worker, session }) => hasWord ?? worker ?? session);
  return last?.hasWord && last.outcome === "done" ? last.endedAt : undefined;
}

/** The root of the checkout that contains a story's folder. */
const worktreeOf = (folder: string): string =>
  folder.slice(0, folder.lastIndexOf("/.saga/stories/"));

export const runCard = (run: Run, lastAction?: LastAction): RunCard => ({
  id: run.id,
  startedAt: run.startedAt,
  endedAt: run.endedAt,
  outcome: run.outcome,
  session: run.session,
  lastAction,
  costUsd: run.costUsd,
  ...estimateFlag([run]),
});

const estimateFlag = (runs: readonly Run[]): { readonly costIsEstimate?: true } =>
  runs.some(({ costIsEstimate }) => costIsEstimate) ? { costIsEstimate: true } : {};

const totalCost = (runs: readonly Run[]): number => runs.reduce((sum, run) => sum + run.costUsd, 0);

export interface EpicFacts {
  readonly epic: Epic;
  readonly cardOf: (storyId: string) => StoryCard | undefined;
  readonly isRunning: boolean;
  /** Its branch has commits that are not merged. */
  readonly isUnmerged?: boolean;
  readonly version: number;
}

export const epicCard = ({
  epic,
  cardOf,
  isRunning,
  isUnmerged = false,
  version,
}: EpicFacts): EpicCard => ({
  id: epic.id,
  title: epic.title,
  description: epic.description,
  status: epicStatus(
    epic.children.map(({ id }) => progressOf(cardOf(id))),
    epic.persistent,
  ),
  children: epic.children.map(({ id, blockedBy }) => ({ id, blockedBy })),
  pr: epic.pr,
  isRunning,
  ...(isUnmerged &&
    epicStatus(epic.children.map(({ id }) => progressOf(cardOf(id)))) === "completed" && {
      awaitsMerge: true,
    }),
  version,
});

/** A story in the older format counts as its file says; a missing one as not started. */
function progressOf(card: StoryCard | undefined): { state: StoryState; isBegun: boolean } {
  if (card === undefined) return { state: "pending", isBegun: false };
  const { state, isBegun } = card;
  return state === "in-progress" ? { state: "ready", isBegun: true } : { state, isBegun };
}

export const problemCard = (problem: Problem, project: string, story?: string): ProblemCard => ({
  ...(story !== undefined && { story }),
  file: relative(project, problem.file) || problem.file,
  line: problem.line,
  message: `${problem.message} ${problem.fix}`,
});

/** What runs have cost today, in local time: a run that continued after midnight counts with its part of each day. */
export function costToday(
  runs: Iterable<Run>,
  nowMs: number,
): Pick<ProjectCard, "costTodayUsd" | "costTodayIsEstimate"> {
  const today = localDay(nowMs);
  // ISO times compare as text. Parsing would be slow: this runs with each change, over up to fifty thousand runs.
  const midnight = new Date(new Date(nowMs).setHours(0, 0, 0, 0)).toISOString();
  let [costTodayUsd, costTodayIsEstimate] = [0, false];
  for (const run of runs) {
    if (run.endedAt !== undefined && run.endedAt < midnight) continue;
    const { byDay, isEstimate } = costOf(run, undefined);
    const costUsd = byDay[today] ?? 0;
    costTodayUsd += costUsd;
    costTodayIsEstimate ||= isEstimate && costUsd > 0;
  }
  return {
    costTodayUsd: rounded(costTodayUsd),
    ...(costTodayIsEstimate && { costTodayIsEstimate }),
  };
}
