// Whose workers may be running: told by leases and sessions, not by the stories' own files. An agent can
// make those unreadable, and its worker has to be seen and stopped all the same.

import { storyLease } from "../store/lease-names.ts";
import type { LeaseState } from "../store/lease.ts";
import type { Store } from "../store/store.ts";
import { storyOfSession } from "../story/names.ts";
import type { Session } from "./command.ts";
import { sagaSessions } from "./session-list.ts";

/** Those that a worker has, or had when it died, and those whose session has only just begun. */
export async function storiesAtWork({ io, openProject }: Session): Promise<string[]> {
  const store = openProject();
  const claimed = await claimedStories(store);
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

export async function claimedStories(store: Store): Promise<readonly Claimed[]> {
  const prefix = storyLease("");
  const leases = await store.leases.list();
  return leases
    .filter(({ name }) => name.startsWith(prefix))
    .map((lease) => ({ storyId: lease.name.slice(prefix.length), lease }));
}
