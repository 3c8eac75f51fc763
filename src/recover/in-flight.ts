// Unfinished stories: those that were started and have no living worker, with all facts from files, git and leases.
// Changes nothing.

import { existsSync } from "node:fs";
import { taskListFolder } from "../claude/tasks/list.ts";
import { messageOf, type Problem } from "../errors.ts";
import type { Environment } from "../machine/processes/environment.ts";
import type { Repository } from "../repo/repository.ts";
import { workerState } from "../store/leases/lease-purpose.ts";
import { findWorktrees } from "../store/project/find.ts";
import { layoutOf } from "../store/project/layout.ts";
import { storyLease, storyOfLease } from "../store/leases/lease-names.ts";
import { isBegun, type Overview, type StoryView } from "../store/views/overview.ts";
import { isFileOf } from "../store/runs/own-records.ts";
import { processesOf, unfinished } from "../store/runs/run-processes.ts";
import type { Store } from "../store/store.ts";
import type { Epic } from "../story/definition/epic.ts";
import { idProblem, isPoolName } from "../story/definition/names.ts";
import type { Run } from "../story/state/run.ts";
import { isInFlight, type InFlightState, type RunOutcome } from "../story/state/state.ts";
import {
  readGitFacts,
  readSharedGitFacts,
  type BranchFacts,
  type SharedGitFacts,
  type WorktreeFacts,
} from "./git-facts.ts";
import { questionOf } from "./question.ts";

export interface InFlight {
  readonly storyId: string;
  readonly title: string;
  readonly state: InFlightState | "blocked";
  /** A summary that ends with the possible answers. */
  readonly question: string;
  readonly worktree: WorktreeFacts;
  readonly branch: BranchFacts;
  /** Undefined when its files cannot be read. */
  readonly tasks: { readonly completed: number; readonly total: number } | undefined;
  readonly lastRun: RunInFlight | undefined;
  readonly leftovers: Leftovers;
  /** The last commit of a worktree whose branch is gone. */
  readonly lostTip: string | undefined;
  /** Problems, in sentences. */
  readonly problems: readonly string[];
}

export interface RunInFlight {
  readonly id: string;
  /** When it ended or, without an end, the time of its last event. */
  readonly at: string;
  readonly hasEnded: boolean;
  readonly outcome: RunOutcome | undefined;
  /** The same as the outcome `killed`, under its old name for scripts. */
  readonly isCutOff: boolean;
  readonly reason: string | undefined;
}

export interface Leftovers {
  /** Processes that a dead worker left. */
  readonly processes: readonly number[];
  readonly taskLists: readonly string[];
  readonly snapshots: readonly number[];
}

export interface InFlightReport {
  readonly stories: readonly InFlight[];
  /** Problems that concern no single story. */
  readonly problems: readonly string[];
}

export interface InFlightOptions {
  readonly env: Environment;
  /** Only this story. */
  readonly only?: string | undefined;
}

/** `repository` is undefined when git fails: then the report has only facts from files. */
export async function readInFlight(
  store: Store,
  repository: Repository | undefined,
  { env, only }: InFlightOptions,
): Promise<InFlightReport> {
  const problems = new Set<string>();
  const settings = await store.settings().catch((error: unknown) => {
    problems.add(messageOf(error));
    return undefined;
  });
  const overview = await store.overview();
  const ground = await readSharedGitFacts(store.project, repository, { settings, env });
  const stories: InFlight[] = [];
  for (const candidate of await candidatesIn(store, overview, { only, problems })) {
    const state = stateOf(candidate);
    if (state === undefined) continue;
    const epic = overview.epics.get(candidate.view?.epicId ?? "")?.epic;
    stories.push(await factsOf(store, candidate, { state, ground, epic, env }));
  }
  return { stories, problems: [...problems, ...ground.problems] };
}

interface Candidate {
  readonly id: string;
  /** Undefined when its files cannot be read. */
  readonly view: StoryView | undefined;
  readonly fileProblems: readonly Problem[];
  readonly runs: readonly Run[];
}

interface Search {
  readonly only: string | undefined;
  readonly problems: Set<string>;
}

/** All stories without a living worker, and broken ones that have left a worktree or a lease. */
async function candidatesIn(
  store: Store,
  overview: Overview,
  { only, problems }: Search,
): Promise<Candidate[]> {
  const found: Candidate[] = [];
  /** An unreadable story is reported and does not hide the others. */
  const attempt = async (id: string, read: () => Promise<void>): Promise<void> => {
    if (only !== undefined && id !== only) return;
    try {
      await read();
    } catch (error) {
      if (id === only) throw error;
      problems.add(messageOf(error));
    }
  };
  for (const [id, view] of overview.stories) {
    if (view.lease?.life === "alive") continue;
    await attempt(id, async () => {
      found.push({ id, view, fileProblems: [], runs: await store.listRuns(id) });
    });
  }
  const at = layoutOf(store.project);
  const unreadable: Problem[] = [];
  const leases = await store.leases.list((problem) => void unreadable.push(problem));
  const leased = leases.flatMap((lease) =>
    workerState(lease) === "none" ? [] : (storyOfLease(lease.name) ?? []),
  );
  for (const id of new Set([...findWorktrees(at).map((worktree) => worktree.id), ...leased])) {
    // The pool keeps worktrees between tasks, and recovers them itself.
    if (overview.stories.has(id) || isPoolName(id) || idProblem("story", id)) continue;
    await attempt(id, async () => {
      const lease = await store.leases.read(storyLease(id));
      if (lease?.life === "alive") return;
      const own = overview.problems.filter(({ file }) => isFileOf(id, file));
      found.push({ id, view: undefined, fileProblems: own, runs: await store.listRuns(id) });
    });
  }
  for (const { file, message } of unreadable) {
    const isReported = [...problems].some((problem) => problem.includes(file));
    if (!isReported) problems.add(`${file}: ${message}`);
  }
  return found.toSorted((one, other) => (one.id < other.id ? -1 : 1));
}

/** The state that lists show. Undefined when it was not started or is finished. */
function stateOf({ view, runs }: Candidate): InFlight["state"] | undefined {
  if (view === undefined) return "unfinished";
  const { state } = view;
  if (state === "blocked") return isBegun(view) || unfinished(runs).length > 0 ? state : undefined;
  return isInFlight(state) ? state : undefined;
}

interface CandidateContext {
  readonly state: InFlight["state"];
  readonly ground: SharedGitFacts;
  readonly epic: Epic | undefined;
  readonly env: Environment;
}

async function factsOf(
  store: Store,
  { id, view, fileProblems, runs }: Candidate,
  { state, ground, epic, env }: CandidateContext,
): Promise<InFlight> {
  const about = { storyId: id, epic };
  const { committedTasks, snapshots, problems, ...git } = await readGitFacts(ground, about);
  const tasks = view?.record.tasks.map((task) => ({
    isCompleted:
      task.status === "completed" || (!git.worktree.isThere && committedTasks.has(task.id)),
  }));
  const counted = runs.find((run) => run.id === view?.lastRun.id) ?? runs[0];
  const lastRun = await lastRunOf(store, id, counted);
  const facts = { storyId: id, state, lastRun, ...git };
  return {
    ...facts,
    title: view?.record.story.title ?? id,
    question: questionOf(facts),
    tasks: tasks && {
      completed: tasks.filter(({ isCompleted }) => isCompleted).length,
      total: tasks.length,
    },
    leftovers: { ...leftoversOf(runs, env), snapshots },
    problems: [...brokenFiles(view, fileProblems), ...problems],
  };
}

function brokenFiles(view: StoryView | undefined, problems: readonly Problem[]): string[] {
  if (view !== undefined) return [];
  const [first] = problems;
  const where =
    first === undefined ? "" : ` (${[first.file, first.line].filter(Boolean).join(":")})`;
  return [`Its files cannot be read${where}. Run \`saga validate\`.`];
}

async function lastRunOf(
  store: Store,
  storyId: string,
  run: Run | undefined,
): Promise<RunInFlight | undefined> {
  if (run === undefined) return undefined;
  const { id, startedAt, endedAt, outcome, reason } = run;
  const isCutOff = outcome === "killed";
  const hasEnded = endedAt !== undefined;
  const lastAt = hasEnded ? endedAt : (await store.readEvents(storyId, id)).events.at(-1)?.at;
  return { id, at: lastAt ?? startedAt, hasEnded, outcome, isCutOff, reason };
}

function leftoversOf(runs: readonly Run[], env: Environment): Omit<Leftovers, "snapshots"> {
  const processes = unfinished(runs).flatMap(processesOf);
  const taskLists = runs.flatMap(({ taskList }) => taskList ?? []);
  return {
    processes: [...new Set(processes.map(({ pid }) => pid))],
    taskLists: taskLists.filter((list) => existsSync(taskListFolder(env, list))),
  };
}
