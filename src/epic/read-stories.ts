// Reads the stories of one epic, and no others, as a run of the epic needs them.

import { relative } from "node:path";
import { SagaError, type Problem } from "../errors.ts";
import { declaredWrites } from "../gate/globs.ts";
import { isMerging, wasKilled, type Overview, type StoryView } from "../store/views/overview.ts";
import { isFileOf } from "../store/runs/own-records.ts";
import type { StoryRecord } from "../store/project/read.ts";
import type { Store } from "../store/store.ts";
import type { Epic } from "../story/definition/epic.ts";
import { DEFAULT_PRIORITY } from "../story/definition/fields.ts";
import { isRunning, isStartable } from "../story/state/state.ts";
import { CONFLICT_TASK } from "../story/plan/fix-task.ts";
import type { Neighbour } from "./overlap.ts";
import type { ScheduledStory } from "./schedule.ts";

export interface EpicStory extends ScheduledStory, Neighbour {
  readonly earlyEnd: EarlyEnd | undefined;
  readonly lastRunId: string | undefined;
}

/** Why the last run ended before the work was done. */
export type EarlyEnd = "killed" | "limit" | "stopped";

export async function readStories(
  store: Store,
  epicId: string,
  /** Runs recorded as merged whose work is no longer in the target. */
  lostMerges: ReadonlySet<string> = new Set(),
): Promise<EpicStory[]> {
  const { epic } = await store.readEpic(epicId);
  const ids = epic.children.map(({ id }) => id);
  const overview = await store.overview(new Set(ids));
  const stories: EpicStory[] = [];
  for (const id of ids) stories.push(await readStory(store, overview, id));
  const lost = stories.flatMap(({ id, lastRunId }) =>
    lostMerges.has(lastRunId ?? "") ? [id] : [],
  );
  return lost.length === 0 ? stories : stories.map((story) => withLostMerges(story, epic, lost));
}

/** A story whose merge was lost is unfinished again, and its dependents wait for it. */
export function withLostMerges(
  story: EpicStory,
  { children }: Pick<Epic, "children">,
  lost: readonly string[],
): EpicStory {
  if (lost.includes(story.id)) return { ...story, state: "unfinished" };
  const blockedBy = children.find(({ id }) => id === story.id)?.blockedBy ?? [];
  const waitsFor = [...story.waitsFor, ...blockedBy.filter((id) => lost.includes(id))];
  const isWaiting = story.state === "ready" && waitsFor.length > 0;
  return { ...story, waitsFor, ...(isWaiting && { state: "waiting" }) };
}

async function readStory(store: Store, overview: Overview, id: string): Promise<EpicStory> {
  const view = overview.stories.get(id);
  const base = {
    id,
    waitsFor: [],
    priority: DEFAULT_PRIORITY,
    writes: undefined,
    conflict: undefined,
    earlyEnd: undefined,
    lastRunId: view?.lastRun.id,
  };
  if (view === undefined) {
    return overview.archived.has(id)
      ? { ...base, state: "completed" }
      : { ...base, state: "pending", problem: whyMissing(store, overview, id) };
  }
  const { waitsFor, record } = view;
  const state = isMerging(view) ? "review" : view.state;
  const story = {
    ...base,
    state,
    isMerging: isMerging(view),
    waitsFor,
    priority: record.story.priority ?? DEFAULT_PRIORITY,
    earlyEnd: earlyEndOf(view),
    problem: state === "pending" ? "an epic that lists it is invalid" : undefined,
  };
  if (!isStartable(state) && !isRunning(state)) return story;
  try {
    // The overview skips invalid tasks; a worker would refuse them.
    const { story: definition, tasks } = await store.readStory(id);
    return { ...story, writes: declaredWrites(definition, tasks), conflict: conflictOf(tasks) };
  } catch (error) {
    if (!(error instanceof SagaError) || !isStartable(state)) return story;
    return { ...story, problem: invalidFiles(store, error.problems[0]) };
  }
}

function conflictOf(tasks: StoryRecord["tasks"]): Neighbour["conflict"] {
  const task = tasks.find(({ id }) => id === CONFLICT_TASK);
  return task && (task.status === "completed" ? "resolved" : "open");
}

function whyMissing(store: Store, { problems, legacy }: Overview, id: string): string {
  if (legacy.includes(id)) return "is in the old markdown format, which Saga does not run";
  const problem = problems.find(({ file }) => isFileOf(id, file));
  return problem ? invalidFiles(store, problem) : "does not exist";
}

function invalidFiles({ project }: Store, problem: Problem | undefined): string {
  if (problem === undefined) return "its files are invalid";
  const { file, line } = problem;
  const position = [relative(project, file), line].filter((part) => part !== undefined).join(":");
  return `its files are invalid (${position})`;
}

function earlyEndOf(view: StoryView): EarlyEnd | undefined {
  const { state } = view;
  if (state === "limit" || state === "stopped") return state;
  return wasKilled(view) ? "killed" : undefined;
}
