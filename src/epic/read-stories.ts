// What an epic's run sees of its stories: their states, what stands in the way of each, and what each may
// write. Reads the epic's own stories and no others.

import { relative } from "node:path";
import { SagaError, type Problem } from "../errors.ts";
import { declaredWrites } from "../gate/globs.ts";
import { wasKilled, type Overview, type StoryView } from "../store/views/overview.ts";
import { isFileOf } from "../store/runs/own-records.ts";
import type { Store } from "../store/store.ts";
import type { Epic } from "../story/definition/epic.ts";
import { isStartable } from "../story/state/state.ts";
import type { ScheduledStory } from "./schedule.ts";

export interface Seen extends ScheduledStory {
  /** Nothing when nobody has said. */
  readonly writes: readonly string[] | undefined;
  readonly cut: Cut | undefined;
  /** Its last one. */
  readonly runId: string | undefined;
}

/** Why it has no worker, when its last run ended before its work was done. */
export type Cut = "killed" | "limit" | "stopped";

export async function lookAt(
  store: Store,
  epicId: string,
  /** Runs that say merged of stories which their target has lost. */
  lostMerges: ReadonlySet<string> = new Set(),
): Promise<Seen[]> {
  const { epic } = await store.readEpic(epicId);
  const ids = epic.children.map(({ id }) => id);
  const overview = await store.overview(new Set(ids));
  const seen: Seen[] = [];
  for (const id of ids) seen.push(await seenAs(store, overview, id));
  const lost = seen.flatMap(({ id, runId }) => (lostMerges.has(runId ?? "") ? [id] : []));
  return lost.length === 0 ? seen : seen.map((story) => withoutLost(story, epic, lost));
}

/** What was lost is to be brought once more, and whatever builds on it waits for that. */
function withoutLost(story: Seen, { children }: Epic, lost: readonly string[]): Seen {
  if (lost.includes(story.id)) return { ...story, state: "unfinished" };
  const first = children.find(({ id }) => id === story.id)?.blockedBy ?? [];
  const waitsFor = [...story.waitsFor, ...first.filter((id) => lost.includes(id))];
  const isWaiting = story.state === "ready" && waitsFor.length > 0;
  return { ...story, waitsFor, ...(isWaiting && { state: "waiting" }) };
}

async function seenAs(store: Store, overview: Overview, id: string): Promise<Seen> {
  const view = overview.stories.get(id);
  const runId = view?.lastRun.id;
  const none = { id, waitsFor: [], priority: USUAL, writes: undefined, cut: undefined, runId };
  if (view === undefined) {
    return overview.archived.has(id)
      ? { ...none, state: "completed" }
      : { ...none, state: "pending", fault: absence(store, overview, id) };
  }
  const { state, waitsFor, record } = view;
  const seen = {
    ...none,
    state,
    waitsFor,
    priority: record.story.priority ?? USUAL,
    cut: cutOf(view),
    fault: state === "pending" ? "an epic that it names cannot be read" : undefined,
  };
  if (!isStartable(state) && state !== "running" && state !== "stalled") return seen;
  try {
    // An outline passes over what is wrong inside of a task; its worker would not.
    const { story, tasks } = await store.readStory(id);
    return { ...seen, writes: declaredWrites(story, tasks) };
  } catch (error) {
    if (!(error instanceof SagaError) || !isStartable(state)) return seen;
    return { ...seen, fault: unreadable(store, error.problems[0]) };
  }
}

const USUAL = 3;

function absence(store: Store, { problems, legacy }: Overview, id: string): string {
  if (legacy.includes(id)) return "it is in the older markdown form, which is not read";
  const own = problems.find(({ file }) => isFileOf(id, file));
  return own ? unreadable(store, own) : "there is no such story";
}

function unreadable({ project }: Store, problem: Problem | undefined): string {
  if (problem === undefined) return "its files cannot be read";
  const { file, line } = problem;
  const place = [relative(project, file), line].filter((part) => part !== undefined).join(":");
  return `its files cannot be read (${place})`;
}

function cutOf(view: StoryView): Cut | undefined {
  const { state } = view;
  if (state === "limit" || state === "stopped") return state;
  return wasKilled(view) ? "killed" : undefined;
}
