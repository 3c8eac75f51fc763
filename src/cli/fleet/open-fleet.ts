// Opens the fleet of a project: its name is a setting, the address of its database is in the environment.

import { SagaError } from "../../errors.ts";
import type { Fleet, FleetRequest } from "../../fleet/fleet.ts";
import type { Environment } from "../../machine/processes/environment.ts";
import { findRepository, type Repository } from "../../repo/repository.ts";
import { rootCommit } from "../../repo/commits/root-commit.ts";
import { openSharedQueue } from "../../fleet/lanes/shared-queue.ts";
import { openSharedLeases } from "../../fleet/member/shared-leases.ts";
import { openStore } from "../../store/file-store.ts";
import type { Share, Shareable } from "../../store/store.ts";
import { loadSettings } from "../../store/project/config.ts";
import { layoutOf } from "../../store/project/layout.ts";
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

/**
 * The leases and lanes of a project: files, and in a fleet also rows in its database. Which of them is decided at the first
 * use, because opening a project reads nothing.
 */
export const shareOf =
  (place: ProjectPlace): Share =>
  (local) => {
    let chosen: Shareable | undefined;
    const choose = (): Shareable => (chosen ??= chooseShared(place, local));
    return { leases: deferred(() => choose().leases), queue: deferred(() => choose().queue) };
  };

function chooseShared(place: ProjectPlace, local: Shareable): Shareable {
  const at = layoutOf(place.project);
  // With an invalid file no work starts, and what runs can still be stopped.
  const { settings } = loadSettings(at);
  if (settings.fleet.name === undefined) return local;
  const fleet = once(() => openFleetOf(place, settings));
  const lanes = once(async () => {
    const { openLanes, openExchange } = await fleet();
    return { table: openLanes(), exchange: openExchange(openStore(place.project)) };
  });
  return {
    leases: openSharedLeases({ local: local.leases, shared: fleet }),
    queue: openSharedQueue({ at, local: local.queue, shared: lanes }),
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
