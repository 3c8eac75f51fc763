// Opens the fleet of a project: its name is a setting, the address of its database is in the environment.

import { SagaError } from "../../errors.ts";
import type { Fleet, FleetRequest } from "../../fleet/fleet.ts";
import type { Environment } from "../../machine/processes/environment.ts";
import { findRepository, type Repository } from "../../repo/repository.ts";
import { rootCommit } from "../../repo/sharing/root-commit.ts";
import { openFileLeases } from "../../store/leases/file-leases.ts";
import type { Leases } from "../../store/leases/leases.ts";
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

/**
 * The leases of a project: files, and in a fleet also rows in its database. Which of them is decided at the first use,
 * because opening a project reads nothing.
 */
export function memberLeases(place: ProjectPlace): Leases {
  const at = layoutOf(place.project);
  const local = openFileLeases(leasesFolder(at), { now: Date.now });
  let chosen: Promise<Leases> | undefined;
  const choose = async (): Promise<Leases> => {
    // With an invalid file no work starts, and what runs can still be stopped.
    const { settings } = loadSettings(at);
    if (settings.fleet.name === undefined) return local;
    const { openSharedLeases } = await import("../../fleet/member/shared-leases.ts");
    return openSharedLeases({ local, shared: () => openFleetOf(place, settings) });
  };
  const leases = (): Promise<Leases> => (chosen ??= choose());
  return {
    acquire: async (...request) => (await leases()).acquire(...request),
    read: async (name) => (await leases()).read(name),
    list: async (onProblem) => (await leases()).list(onProblem),
    look: async () => (await leases()).look(),
  };
}
