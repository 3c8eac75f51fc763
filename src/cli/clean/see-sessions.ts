// What this project knows about sessions: which have ended, and which nobody can have begun.

import { readDaemons } from "../../tasks/daemon-files.ts";
import { epicLease, storyLease } from "../../store/leases/lease-names.ts";
import type { Store } from "../../store/store.ts";
import type { Run } from "../../story/state/run.ts";
import { isRunOver } from "../watch/run-over.ts";
import type { SagaSession } from "../watch/session-list.ts";
import type { SeenSessions } from "./left-over.ts";

export async function seeSessions(
  store: Store,
  living: readonly SagaSession[],
  runs: readonly Run[],
): Promise<SeenSessions> {
  return {
    living: new Set(living.map(({ name }) => name)),
    ended: new Set([
      ...runs.filter(isRunOver).flatMap(({ session }) => session ?? []),
      ...poolSessions(store),
    ]),
    ...(await idleNames(store)),
  };
}

/** Of daemons and workers that are gone: killed, they could not take their files along. */
const poolSessions = ({ project }: Store): string[] =>
  readDaemons(project).flatMap(({ daemon, life, workers }) =>
    [{ session: daemon.session, life }, ...workers].flatMap((one) =>
      one.life === "dead" ? (one.session ?? []) : [],
    ),
  );

/** Of this project, and nobody has them: a session that could not begin has left no run. */
async function idleNames(store: Store): Promise<Pick<SeenSessions, "idleStories" | "idleEpics">> {
  const { epics, stories } = await store.overview();
  const living = new Set(
    (await store.leases.list()).flatMap(({ name, life }) => (life === "alive" ? [name] : [])),
  );
  const without = (ids: Iterable<string>, leaseOf: (id: string) => string): Set<string> =>
    new Set([...ids].filter((id) => !living.has(leaseOf(id))));
  return {
    idleStories: without(stories.keys(), storyLease),
    idleEpics: without(epics.keys(), epicLease),
  };
}
