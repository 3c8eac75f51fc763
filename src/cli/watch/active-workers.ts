// Whose workers may be running: told by leases and sessions, not by the stories' own files. An agent can
// make those unreadable, and its worker has to be seen and stopped all the same.

import type { Problem } from "../../errors.ts";
import { epicOfLease, storyOfLease } from "../../store/leases/lease-names.ts";
import type { LeaseState } from "../../store/leases/lease.ts";
import type { Store } from "../../store/store.ts";
import { idProblem, storyIdProblem, storyOfSession } from "../../story/definition/names.ts";
import type { CommandContext } from "../program/command.ts";
import { sagaSessions } from "./session-list.ts";

/** Of a lease that cannot be read: nobody can tell whose it is, and it hides no other. */
type OnProblem = (problem: Problem) => void;

/** Those that a worker has, or had when it died, and those whose session has only just begun. */
export async function storiesAtWork(
  { io, openProject }: CommandContext,
  onProblem: OnProblem,
): Promise<string[]> {
  const store = openProject();
  const claimed = await claimedStories(store, onProblem);
  const { stories } = await store.overview();
  const sessions = (await sagaSessions(io.env)).filter(({ folder }) => folder === store.project);
  // In its older form the name of a session could be anybody's; then there has to be such a story.
  const begun = sessions.flatMap(({ name, storyId = "" }) =>
    stories.has(storyId) || storyOfSession(name)?.startedAtMs !== undefined ? [storyId] : [],
  );
  return [...new Set([...claimed.map(({ storyId }) => storyId), ...begun])];
}

interface Claimed {
  readonly storyId: string;
  readonly lease: LeaseState;
}

/** A worker of the pool has a lease like a story's, and is its daemon's to stop. What is no id is no story either. */
export async function claimedStories(
  store: Store,
  onProblem: OnProblem,
): Promise<readonly Claimed[]> {
  return (await store.leases.list(onProblem)).flatMap((lease) => {
    const storyId = storyOfLease(lease.name) ?? "";
    return storyIdProblem(storyId) === undefined ? [{ storyId, lease }] : [];
  });
}

export interface EpicRun {
  readonly epicId: string;
  readonly lease: LeaseState;
}

/** The runs of epics that go on. Between two of its stories one is all that is at work. */
export async function epicsAtWork(store: Store, onProblem: OnProblem): Promise<readonly EpicRun[]> {
  return (await store.leases.list(onProblem)).flatMap((lease) => {
    const epicId = epicOfLease(lease.name) ?? "";
    const isEpic = idProblem("epic", epicId) === undefined;
    return isEpic && lease.life === "alive" ? [{ epicId, lease }] : [];
  });
}
