// What was in flight: every story that was begun and that no living worker has, with all that can be
// known about it from files, git and leases. Nothing is remembered, and nothing is changed.

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
import { epicBranch, idProblem, isPoolName } from "../story/definition/names.ts";
import type { Run } from "../story/state/run.ts";
import { isDeliveredAsOne } from "../story/settings/settings.ts";
import { isInFlight, type InFlightState, type RunOutcome } from "../story/state/state.ts";
import {
  readGitFacts,
  readGround,
  type BranchFacts,
  type GitGround,
  type WorktreeFacts,
} from "./git-facts.ts";
import { questionOf } from "./question.ts";

export interface InFlight {
  readonly storyId: string;
  readonly title: string;
  readonly state: InFlightState | "blocked";
  /** The whole of it in one sentence, with the answers there are. */
  readonly question: string;
  readonly worktree: WorktreeFacts;
  readonly branch: BranchFacts;
  /** Nothing when its files cannot be read. */
  readonly tasks: { readonly completed: number; readonly total: number } | undefined;
  readonly lastRun: RunInFlight | undefined;
  readonly leftovers: Leftovers;
  /** The last commit of a worktree whose branch is gone. */
  readonly lostTip: string | undefined;
  /** What is wrong, in sentences. */
  readonly faults: readonly string[];
}

export interface RunInFlight {
  readonly id: string;
  /** When it ended, or was last heard of. */
  readonly at: string;
  readonly hasEnded: boolean;
  readonly outcome: RunOutcome | undefined;
  /** The same as the outcome `killed`; for scripts that know it by this name. */
  readonly isCutOff: boolean;
  readonly reason: string | undefined;
}

export interface Leftovers {
  /** What a dead worker left running. */
  readonly processes: readonly number[];
  readonly taskLists: readonly string[];
  readonly snapshots: readonly number[];
}

export interface InFlightReport {
  readonly stories: readonly InFlight[];
  /** What could not be found out for any of them. */
  readonly faults: readonly string[];
}

export interface InFlightOptions {
  readonly env: Environment;
  /** Only this one. */
  readonly only?: string | undefined;
}

/** Without a repository, when git itself fails: then what the files tell. */
export async function readInFlight(
  store: Store,
  repository: Repository | undefined,
  { env, only }: InFlightOptions,
): Promise<InFlightReport> {
  const faults = new Set<string>();
  const settings = await store.settings().catch((error: unknown) => {
    faults.add(messageOf(error));
    return undefined;
  });
  const overview = await store.overview();
  const ground = await readGround(store.project, repository, settings);
  const stories: InFlight[] = [];
  for (const candidate of await candidatesIn(store, overview, { only, faults })) {
    const state = stateOf(candidate);
    if (state === undefined) continue;
    const epic = overview.epics.get(candidate.view?.epicId ?? "")?.epic;
    const isByEpic = epic !== undefined && settings && isDeliveredAsOne(epic, settings);
    const own = isByEpic ? epicBranch(epic.id) : undefined;
    stories.push(await factsOf(store, candidate, { state, ground, epicBranch: own, env }));
  }
  return { stories, faults: [...faults, ...ground.faults] };
}

interface Candidate {
  readonly id: string;
  /** Nothing when its files cannot be read. */
  readonly view: StoryView | undefined;
  readonly problems: readonly Problem[];
  readonly runs: readonly Run[];
}

interface Search {
  readonly only: string | undefined;
  readonly faults: Set<string>;
}

/** Every story that nobody works on; a broken one when something of it was left somewhere. */
async function candidatesIn(
  store: Store,
  overview: Overview,
  { only, faults }: Search,
): Promise<Candidate[]> {
  const found: Candidate[] = [];
  /** What cannot be read of one story is a fault, and keeps no other from being found. */
  const attempt = async (id: string, read: () => Promise<void>): Promise<void> => {
    if (only !== undefined && id !== only) return;
    try {
      await read();
    } catch (error) {
      if (id === only) throw error;
      faults.add(messageOf(error));
    }
  };
  for (const [id, view] of overview.stories) {
    if (view.lease?.life === "alive") continue;
    await attempt(id, async () => {
      found.push({ id, view, problems: [], runs: await store.listRuns(id) });
    });
  }
  const at = layoutOf(store.project);
  const unread: Problem[] = [];
  const held = await store.leases.list((problem) => void unread.push(problem));
  const leases = held.flatMap((lease) =>
    workerState(lease) === "none" ? [] : (storyOfLease(lease.name) ?? []),
  );
  const left = new Set([...findWorktrees(at).map(({ id }) => id), ...leases]);
  for (const id of left) {
    // The pool keeps worktrees between tasks, and looks after what was left in them itself.
    if (overview.stories.has(id) || isPoolName(id) || idProblem("story", id)) continue;
    await attempt(id, async () => {
      const lease = await store.leases.read(storyLease(id));
      if (lease?.life === "alive") return;
      const own = overview.problems.filter(({ file }) => isFileOf(id, file));
      found.push({ id, view: undefined, problems: own, runs: await store.listRuns(id) });
    });
  }
  for (const { file, message } of unread) {
    const isTold = [...faults].some((fault) => fault.includes(file));
    if (!isTold) faults.add(`${file}: ${message}`);
  }
  return found.toSorted((one, other) => (one.id < other.id ? -1 : 1));
}

/** As every list shows it. Nothing when it was not begun, is finished, or only waits to be started. */
function stateOf({ view, runs }: Candidate): InFlight["state"] | undefined {
  if (view === undefined) return "unfinished";
  const { state } = view;
  if (state === "blocked") return isBegun(view) || unfinished(runs).length > 0 ? state : undefined;
  return isInFlight(state) ? state : undefined;
}

interface Found {
  readonly state: InFlight["state"];
  readonly ground: GitGround;
  /** Where it goes, when its epic is delivered as one. */
  readonly epicBranch: string | undefined;
  readonly env: Environment;
}

async function factsOf(
  store: Store,
  { id, view, problems, runs }: Candidate,
  { state, ground, epicBranch: target, env }: Found,
): Promise<InFlight> {
  const { committedTasks, snapshots, faults, ...git } = await readGitFacts(ground, id, target);
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
    faults: [...brokenFiles(view, problems), ...faults],
  };
}

function brokenFiles(view: StoryView | undefined, problems: readonly Problem[]): string[] {
  if (view !== undefined) return [];
  const [first] = problems;
  const where =
    first === undefined ? "" : ` (${[first.file, first.line].filter(Boolean).join(":")})`;
  return [`Its files cannot be read${where}: \`saga validate\` says what is wrong.`];
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
  const heard = hasEnded ? endedAt : (await store.readEvents(storyId, id)).events.at(-1)?.at;
  return { id, at: heard ?? startedAt, hasEnded, outcome, isCutOff, reason };
}

function leftoversOf(runs: readonly Run[], env: Environment): Omit<Leftovers, "snapshots"> {
  const processes = unfinished(runs).flatMap(processesOf);
  const taskLists = runs.flatMap(({ taskList }) => taskList ?? []);
  return {
    processes: [...new Set(processes.map(({ pid }) => pid))],
    taskLists: taskLists.filter((list) => existsSync(taskListFolder(env, list))),
  };
}
