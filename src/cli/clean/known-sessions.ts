// What this project knows about sessions: which have ended, and which stories and epics have none.

import { readDaemons, type DaemonView } from "../../tasks/daemon-files.ts";
import { epicLease, storyLease } from "../../store/leases/lease-names.ts";
import type { Store } from "../../store/store.ts";
import type { Run } from "../../story/state/run.ts";
import { hasRunEnded } from "../../store/runs/run-processes.ts";
import type { SagaSession } from "../watch/session-list.ts";
import type { KnownSessions } from "./session-files.ts";

export async function readKnownSessions(
  store: Store,
  living: readonly SagaSession[],
  runs: readonly Run[],
): Promise<KnownSessions> {
  return {
    living: new Set(living.map(({ name }) => name)),
    ended: new Set([
      ...runs.filter(hasRunEnded).flatMap(({ session }) => session ?? []),
      ...poolSessions(store),
    ]),
    ...(await idleNames(store)),
  };
}

const poolSessions = ({ project }: Store): string[] => deadSessions(readDaemons(project));

/** Of dead daemons and workers: if killed, they could not delete their files. */
export const deadSessions = (
  daemons: readonly Pick<DaemonView, "daemon" | "life" | "workers">[],
): string[] =>
  daemons.flatMap(({ daemon, life, workers }) =>
    [{ session: daemon.session, life }, ...workers].flatMap((one) =>
      one.life === "dead" ? (one.session ?? []) : [],
    ),
  );

/** Without a live lease. Needed because a session that failed to start has left no run. */
async function idleNames(store: Store): Promise<Pick<KnownSessions, "idleStories" | "idleEpics">> {
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
