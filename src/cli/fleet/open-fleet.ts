// Opens the fleet of a project: its name is a setting, the address of its database is in the environment.

import { SagaError } from "../../errors.ts";
import type { Fleet, FleetRequest } from "../../fleet/fleet.ts";
import type { Environment } from "../../machine/processes/environment.ts";
import { findRepository, type Repository } from "../../repo/repository.ts";
import { rootCommit } from "../../repo/commits/root-commit.ts";
import { openSharedQueue } from "../../fleet/lanes/shared-queue.ts";
import { openSharedLeases } from "../../fleet/member/shared-leases.ts";
import { openStore } from "../../store/file-store.ts";
import { openFileLeases } from "../../store/leases/file-leases.ts";
import type { Leases } from "../../store/leases/leases.ts";
import { openQueue } from "../../store/queue/file-queue.ts";
import type { LandingQueue } from "../../store/queue/queue.ts";
import { loadSettings } from "../../store/project/config.ts";
import { layoutOf, leasesFolder } from "../../store/project/layout.ts";
import type { Settings } from "../../story/settings/settings.ts";

export interface ProjectPlace {
  readonly project: string;
  readonly env: Environment;
}

/** `pg` is loaded here and nowhere else, so that other commands do not pay for it. */
export async function openFleetOf(
  { project, env }: ProjectPlace,
  { fleet: { name } }: Pick<Settings, "fleet">,
  onState?: FleetRequest["onState"],
): Promise<Fleet & { readonly repository: Repository }> {
  if (name === undefined) throw notInFleet();
  const repository = await findRepository(project, env);
  const { openFleet } = await import("../../fleet/fleet.ts");
  return {
    ...(await openFleet({ fleet: name, root: await rootCommit(repository), env, onState })),
    repository,
  };
}

const notInFleet = (): SagaError =>
  new SagaError("not-ready", "This project is not in a fleet.", {
    hint: "To join a fleet: `saga config set fleet.name <fleet>`, then `saga fleet join`. To create one: `saga fleet init`.",
  });

export interface Member {
  readonly leases: Leases;
  readonly queue: LandingQueue;
}

/**
 * The leases and lanes of a project: files, and in a fleet also rows in its database. Which of them is decided at the first
 * use, because opening a project reads nothing.
 */
export function openMember(place: ProjectPlace): Member {
  let member: Member | undefined;
  const choose = (): Member => (member ??= chooseMember(place));
  return { leases: deferred(() => choose().leases), queue: deferred(() => choose().queue) };
}

function chooseMember(place: ProjectPlace): Member {
  const at = layoutOf(place.project);
  const leases = openFileLeases(leasesFolder(at), { now: Date.now });
  const queue = openQueue(at, Date.now);
  // With an invalid file no work starts, and what runs can still be stopped.
  const { settings } = loadSettings(at);
  if (settings.fleet.name === undefined) return { leases, queue };
  const fleet = once(() => openFleetOf(place, settings));
  const lanes = once(async () => {
    const { openLanes, openExchange } = await fleet();
    return { table: openLanes(), exchange: openExchange(openStore(place.project)) };
  });
  return {
    leases: openSharedLeases({ local: leases, shared: fleet }),
    queue: openSharedQueue({ at, local: queue, shared: lanes }),
  };
}

/** All its methods are those of what is chosen when one of them is called. */
const deferred = <T extends object>(choose: () => T): T =>
  new Proxy({} as T, { get: (_, name) => Reflect.get(choose(), name) as unknown });

/** Shared by all calls, and tried again after a failure. */
function once<T>(open: () => Promise<T>): () => Promise<T> {
  let opening: Promise<T> | undefined;
  return () =>
    (opening ??= open().catch((error: unknown) => {
      opening = undefined;
      throw error;
    }));
}
