// Finds running workers by leases and sessions, not by the stories' files: an agent can make those unreadable, and its
// worker must still be shown and stopped.

import type { Problem } from "../../errors.ts";
import { epicOfLease, storyOfLease } from "../../store/leases/lease-names.ts";
import type { LeaseState } from "../../store/leases/leases.ts";
import type { Store } from "../../store/store.ts";
import { idProblem, storyIdProblem, storyOfSession } from "../../story/definition/names.ts";
import type { CommandContext } from "../program/command.ts";
import { sagaSessions } from "./session-list.ts";

/** Called for each unreadable lease; the others are still returned. */
type OnProblem = (problem: Problem) => void;

/** Stories with a lease, alive or dead, and stories whose session has just started. */
export async function storiesWithWorker(
  { io, openProject }: CommandContext,
  onProblem: OnProblem,
): Promise<string[]> {
  const store = openProject();
  const leased = await leasedStories(store, onProblem);
  const { stories } = await store.overview();
  const sessions = (await sagaSessions(io.env)).filter(({ folder }) => folder === store.project);
  // An older session name has no start time and could be anything, so the story must exist.
  const starting = sessions.flatMap(({ name, storyId = "" }) =>
    stories.has(storyId) || storyOfSession(name)?.startedAtMs !== undefined ? [storyId] : [],
  );
  return [...new Set([...leased.map(({ storyId }) => storyId), ...starting])];
}

interface LeasedStory {
  readonly storyId: string;
  readonly lease: LeaseState;
}

/** Excludes pool workers, which have the same kind of lease and are stopped by their daemon, and invalid ids. */
export async function leasedStories(
  store: Store,
  onProblem: OnProblem,
): Promise<readonly LeasedStory[]> {
  return (await store.leases.list(onProblem)).flatMap((lease) => {
    const storyId = storyOfLease(lease.name) ?? "";
    return storyIdProblem(storyId) === undefined ? [{ storyId, lease }] : [];
  });
}

export interface EpicRun {
  readonly epicId: string;
  readonly lease: LeaseState;
}

/** Running epics. Between two stories, an epic's run is the only thing that is running. */
export async function runningEpics(
  store: Store,
  onProblem: OnProblem,
): Promise<readonly EpicRun[]> {
  return (await store.leases.list(onProblem)).flatMap((lease) => {
    const epicId = epicOfLease(lease.name) ?? "";
    const isEpic = idProblem("epic", epicId) === undefined;
    return isEpic && lease.life === "alive" ? [{ epicId, lease }] : [];
  });
}
