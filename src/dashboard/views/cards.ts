// From what was read to what is shown. Pure.

import { relative } from "node:path";
import type { Problem } from "../../errors.ts";
import { attentionTo } from "../../store/views/attention.ts";
import type { LeaseState } from "../../store/leases/lease.ts";
import type { Membership, StoryView } from "../../store/views/overview.ts";
import { isBegun, viewRecord } from "../../store/views/overview.ts";
import type { StoryOutline } from "../../store/project/read.ts";
import type { LastRun } from "../../store/runs/runs.ts";
import type { Epic } from "../../story/definition/epic.ts";
import type { Run } from "../../story/state/run.ts";
import { epicStatus, isInFlight, type StoryState } from "../../story/state/state.ts";
import type {
  EpicCard,
  ProblemCard,
  ProjectCard,
  RunCard,
  StoryCard,
  TaskCard,
} from "../protocol/messages.ts";
import type { LastAction } from "../project/runs-cache.ts";

/** As much of a story's files as a card shows. */
export interface CachedStory extends StoryOutline {
  readonly tasks: readonly TaskCard[];
}

export interface CardFacts {
  readonly record: CachedStory;
  readonly lease: LeaseState | undefined;
  /** Newest first. */
  readonly runs: readonly Run[];
  /** What they say about the story. */
  readonly lastRun: LastRun;
  readonly hasLostWorktree: (storyId: string) => boolean;
  readonly lastAction: LastAction | undefined;
  /** Where it asks for less than when it began. */
  readonly weakened?: readonly string[] | undefined;
  readonly version: number;
}

export function storyCard(facts: CardFacts, membership: Membership): StoryCard {
  const { runs, version } = facts;
  const view = viewRecord(facts.record, membership, facts);
  const { record } = view;
  const { story, source } = record;
  const isArchived = source === "archive";
  const state = isArchived ? "completed" : view.state;
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
    waitsFor: isArchived ? [] : view.waitsFor,
    question: view.openBlockers[0]?.title,
    blocker: view.openBlockers[0]?.blocker,
    openQuestions: view.openBlockers.length,
    reason: reasonOf(view, runs[0]),
    acceptedAt: state === "review" ? acceptedAt(runs) : undefined,
    attention: isArchived ? undefined : attentionTo(view, facts.weakened),
    pr: story.pr,
    branch: story.branch,
    worktree: source === "worktree" ? worktreeOf(record.folder) : undefined,
    run: runs[0] && runCard(runs[0], facts.lastAction),
    costUsd: sumOf(runs),
    ...estimated(runs),
    version,
  };
}

const reasonOf = ({ state }: StoryView, last: Run | undefined): string | undefined =>
  (state === "blocked" || isInFlight(state)) && last?.discardedAt === undefined
    ? last?.reason
    : undefined;

/**
 * Its last run is a person's approval. What says so is only for showing: a merge goes by the sealed receipts. Runs
 * without a worker, of `saga verify` for one, change nothing about it.
 */
function acceptedAt(runs: readonly Run[]): string | undefined {
  const last = runs.find(({ hasWord, worker, session }) => hasWord ?? worker ?? session);
  return last?.hasWord && last.outcome === "done" ? last.endedAt : undefined;
}

/** The top of the checkout that a copy of a story is in. */
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
  ...estimated([run]),
});

const estimated = (runs: readonly Run[]): { readonly costIsEstimate?: true } =>
  runs.some(({ costIsEstimate }) => costIsEstimate) ? { costIsEstimate: true } : {};

const sumOf = (runs: readonly Run[]): number => runs.reduce((sum, run) => sum + run.costUsd, 0);

export interface EpicFacts {
  readonly epic: Epic;
  readonly cardOf: (storyId: string) => StoryCard | undefined;
  readonly isRunning: boolean;
  /** Its own branch has commits that are not merged. */
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
    epic.children.map(({ id }) => asFarAs(cardOf(id))),
    epic.persistent,
  ),
  children: epic.children.map(({ id, blockedBy }) => ({ id, blockedBy })),
  pr: epic.pr,
  isRunning,
  ...(isUnmerged &&
    epicStatus(epic.children.map(({ id }) => asFarAs(cardOf(id)))) === "completed" && {
      awaitsMerge: true,
    }),
  version,
});

/** A child in the older form counts as what its file says; one that is not there, as not begun. */
function asFarAs(card: StoryCard | undefined): { state: StoryState; isBegun: boolean } {
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

/**
 * What was spent on runs that ended or began today, or still go on, in this machine's own time. A run counts whole. An
 * old one without an end goes on only while its story has a worker: its last one may have been killed days ago.
 */
export function costToday(
  runs: Iterable<Run>,
  { nowMs, hasWorker }: { readonly nowMs: number; readonly hasWorker: (story: string) => boolean },
): Pick<ProjectCard, "costTodayUsd" | "costTodayIsEstimate"> {
  // Times as they are written compare as texts: there may be fifty thousand, and each change asks.
  const midnight = new Date(new Date(nowMs).setHours(0, 0, 0, 0)).toISOString();
  let [costTodayUsd, costTodayIsEstimate] = [0, false];
  for (const { story, startedAt, endedAt, costUsd, costIsEstimate = false } of runs) {
    const isOver = endedAt !== undefined || !hasWorker(story);
    if (isOver && (endedAt ?? startedAt) < midnight) continue;
    costTodayUsd += costUsd;
    costTodayIsEstimate ||= costIsEstimate;
  }
  return { costTodayUsd, ...(costTodayIsEstimate && { costTodayIsEstimate }) };
}
