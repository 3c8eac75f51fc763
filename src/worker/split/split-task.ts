// Splits a task that its agent could not complete, or that grew too large, into smaller ones. The work so
// far is kept as a snapshot and committed first. Every step may be repeated after a crash: the commit is
// found by its trailer, and the new tasks are written together with the journal's entry or not at all.

import { realpathSync } from "node:fs";
import { messageOf } from "../../errors.ts";
import { newCostMeter, budgetLeft, type CostMeter } from "../../agent/cost.ts";
import { agentScope } from "../../agent/place/agent-place.ts";
import { commitRest, committedParts } from "../../repo/commits/commits.ts";
import {
  type Planned,
  proposeSplit,
  type PlanningRequest,
} from "../../agent/inspectors/propose-split.ts";
import { problemSentences, type Proposal } from "../../story/plan/split-proposal.ts";
import { splitTask, type SplitResult } from "../../story/plan/split.ts";
import type { Task } from "../../story/definition/task.ts";
import { commitCompletedTasks } from "../commit-completed-tasks.ts";
import { commitPartOf } from "../commit-unfinished.ts";
import { splitDecision, splitQuestion } from "./split-journal.ts";
import type { PreparedWork, Work } from "../context.ts";
import type { Scope } from "../../agent/scope/scope.ts";
import { storyTaskList } from "../../story/definition/names.ts";
import { splitPrompt, type SplitRequest } from "../../story/prompts/split-prompt.ts";
import { storyAgentScope, storyEmployer, storyVariables } from "../agent/employer.ts";

export interface SplitTaskRequest {
  readonly task: string;
  /** A sentence. */
  readonly reason: string;
  /** A person's own proposal; without it a planning run makes one. */
  readonly proposal?: Proposal | undefined;
}

interface Split {
  readonly kind: "split";
  readonly into: readonly string[];
  /** A part of the task was committed. */
  readonly finished: boolean;
  /** The tasks whose files were written. */
  readonly changed: ReadonlySet<string>;
}

export type SplitOutcome = Split | Exclude<Planned, { kind: "proposed" }>;

export async function splitInWorktree(
  work: PreparedWork,
  request: SplitTaskRequest,
): Promise<SplitOutcome> {
  const task = work.story.task(request.task);
  if (task === undefined || task.status === "completed") return notOpen(request.task);
  const part = await commitBeforeSplit(work, task);
  const result = await proposeAndWrite(work, { request, task, part, place: planningPlace(work) });
  if (result.kind !== "split") return result;
  work.story.takeSplit(await work.context.store.readStory(work.request.storyId), result.changed);
  await commitDefinition(work);
  return result;
}

/** For a story without a worktree: it has no work yet, and its files are in the project. */
export async function splitInProject(work: Work, request: SplitTaskRequest): Promise<SplitOutcome> {
  const { store } = work.context;
  const { storyId } = work.request;
  const { tasks } = await store.readStory(storyId);
  const task = tasks.find(({ id }) => id === request.task);
  if (task === undefined || task.status === "completed") return notOpen(request.task);
  const project = realpathSync.native(store.project);
  const { settings, env } = work.context;
  const scope = agentScope({ project, storyId, folder: project, readable: [], settings, env });
  const place = { scope, meter: newCostMeter(work.record, work.context.agent), ports: {} };
  return proposeAndWrite(work, { request, task, part: { finished: false, progress: "" }, place });
}

const notOpen = (task: string): SplitOutcome => ({
  kind: "failed",
  problems: [`There is no open task ${task}.`],
});

interface Splitting {
  readonly request: SplitTaskRequest;
  readonly task: Task;
  readonly part: UnfinishedPart;
  readonly place: PlanningPlace;
}

async function proposeAndWrite(
  work: Work,
  { request, task, part, place }: Splitting,
): Promise<SplitOutcome> {
  const { context, record } = work;
  const { storyId } = work.request;
  const { reason } = request;
  const { finished } = part;
  const ceiling = context.settings.size;
  const { taskFields, story } = await context.store.readStory(storyId);
  const decide = (tasks: typeof taskFields, proposal: Proposal): SplitResult =>
    splitTask(tasks, task.id, proposal, { finished, ceiling });
  const planRequest = { story, task, reason, ceiling, usedIds: [...taskFields.keys()], ...part };
  const planned: Planned = request.proposal
    ? { kind: "proposed", proposal: request.proposal }
    : await planSplit(work, place, planRequest, (proposal) => decide(taskFields, proposal));
  if (planned.kind !== "proposed") return planned;

  const at = new Date(context.now()).toISOString();
  const split = await context.store.splitTask(
    storyId,
    (tasks) => decide(tasks, planned.proposal),
    (into) => ({ at, blocker: undefined, ...splitDecision(request, into, finished) }),
  );
  if (split.kind === "refused")
    return { kind: "failed", problems: problemSentences(split.problems) };
  const { into, files } = split;
  // A proposal that repeats an earlier split writes nothing.
  if (files.length > 0) {
    record.note({ type: "task.split", task: task.id, into, reason }, { isDurable: true });
  }
  return { kind: "split", into, finished, changed: new Set(files.map(({ id }) => id)) };
}

/** Asks a person. The story is blocked until there is an answer. */
export async function askHowToSplit(
  { context, request, record }: PreparedWork,
  split: SplitTaskRequest,
  problems: readonly string[],
): Promise<void> {
  const entry = splitQuestion(request.storyId, split, problems);
  const at = new Date(context.now()).toISOString();
  await context.store.appendJournal(request.storyId, { at, blocker: undefined, ...entry });
  record.note({ type: "journal", kind: entry.kind, title: entry.title }, { isDurable: true });
}

interface UnfinishedPart {
  /** A part of the task is committed, now or by an earlier worker that was killed. */
  readonly finished: boolean;
  /** The committed and uncommitted changes, for the planning run. */
  readonly progress: string;
}

async function commitBeforeSplit(work: PreparedWork, task: Task): Promise<UnfinishedPart> {
  const { git, base, request } = work;
  await commitPartOf(work, task, `before ${task.id} is split`);
  const parts = await committedParts(git, base.commit, {
    storyId: request.storyId,
    taskId: task.id,
  });
  const format = "--format=%h %s";
  const shown = ["log", "--no-walk=unsorted", format, "--stat=100", ...parts, "--", ":!.saga"];
  const committed = parts.length === 0 ? "" : await git.ask(shown);
  const left = await git.ask(["status", "--short", "--", ":(top)", ":(top,exclude).saga"]);
  const progress = [committed, left].filter((text) => text !== "").join("\n\n");
  return { finished: parts.length > 0, progress: progress.slice(0, MAX_PROGRESS) };
}

/** A planning run that needs more can read the files. */
const MAX_PROGRESS = 8_000;

const planningPlace = (work: PreparedWork) => ({
  scope: storyAgentScope(work, work.worktree),
  meter: work.meter,
  ports: work.ports,
});

/** An error is only a warning: the next worker commits it otherwise. */
async function commitDefinition(work: PreparedWork): Promise<void> {
  const { git, request, exclude, record } = work;
  try {
    await commitCompletedTasks(work);
    await commitRest({ git, storyId: request.storyId, exclude });
  } catch (error) {
    record.warn(
      `The new tasks are saved but could not be committed; the next run tries again: ${messageOf(error)}`,
    );
  }
}

interface PlanningPlace {
  /** Of the story's worktree, or of the project if the story has none. */
  readonly scope: Scope;
  readonly meter: CostMeter;
  readonly ports: Readonly<Record<string, string>>;
}

async function planSplit(
  work: Work,
  { scope, meter, ports }: PlanningPlace,
  request: SplitRequest,
  judge: PlanningRequest["judge"],
): Promise<Planned> {
  const { context } = work;
  const { storyId, model } = work.request;
  const { planMinutes, planCost } = context.settings.watch;
  // Not the story's list: the planning run has no tasks.
  const taskListId = storyTaskList(storyId, context.now());
  return proposeSplit(storyEmployer(work, meter), {
    worktreeOf: scope.project,
    taskListId,
    variables: storyVariables(work, { taskListId, folder: scope.worktree, ports }),
    prompt: splitPrompt(request),
    model,
    timeoutMs: planMinutes * 60_000,
    maxCostUsd: Math.min(planCost, budgetLeft(work) ?? planCost),
    scope,
    judge,
  });
}
