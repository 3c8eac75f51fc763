// The checks of a project in a fleet: its database, the schema there, the clocks, and the remote that all machines share.

import { SagaError } from "../../errors.ts";
import { readRemoteRefs } from "../../repo/remote-branch.ts";
import { loadSettings } from "../../store/project/config.ts";
import { findProject, layoutOf } from "../../store/project/layout.ts";
import { openFleetOf } from "../fleet/open-fleet.ts";
import { finding, ok, type Diagnosis, type DoctorContext } from "./diagnosis.ts";

/** Leases use the database's clock. With a larger difference, times in logs and on pages confuse people. */
const CLOCK_LIMIT_MS = 60_000;

/** Nothing for a project that is not in a fleet. */
export async function fleet({ cwd, env }: DoctorContext): Promise<Diagnosis[]> {
  const project = findProject(cwd);
  if (project === undefined) return [];
  const { settings } = loadSettings(layoutOf(project));
  if (settings.fleet.name === undefined) return [];
  let opened: Awaited<ReturnType<typeof openFleetOf>>;
  try {
    // Also checks the schema's version, and that the fleet is this repository's.
    opened = await openFleetOf({ project, env }, settings);
  } catch (error) {
    return [ofError("fleetDatabase", error)];
  }
  try {
    const requestedMs = Date.now();
    const [row] = await opened.database.query<{ readonly now: Date }>(
      "SELECT clock_timestamp() AS now",
    );
    const offMs = clockDifferenceMs(row?.now.getTime() ?? requestedMs, requestedMs, Date.now());
    const remote = opened.repository.remote?.name ?? "none";
    return [
      ok("fleet", `${opened.fleet}, this machine is ${opened.machine}`),
      Math.abs(offMs) > CLOCK_LIMIT_MS
        ? finding("fleetClock", `${Math.round(Math.abs(offMs) / 1000)} s`)
        : ok("fleet clock", "the same as the database's"),
      await readRemoteRefs(opened.repository, ["HEAD"]).then(
        () => ok("fleet remote", remote),
        (error: unknown) => ofError("fleetRemote", error),
      ),
    ];
  } catch (error) {
    return [ofError("fleetDatabase", error)];
  } finally {
    await opened.close();
  }
}

/** The answer was given at some time between the question and its arrival. */
export function clockDifferenceMs(
  theirsMs: number,
  requestedMs: number,
  arrivedMs: number,
): number {
  if (theirsMs < requestedMs) return theirsMs - requestedMs;
  return theirsMs > arrivedMs ? theirsMs - arrivedMs : 0;
}

function ofError(kind: "fleetDatabase" | "fleetRemote", error: unknown): Diagnosis {
  const { message, hint } =
    error instanceof SagaError ? error : new SagaError("bug", String(error));
  return finding(kind, message, hint === undefined ? {} : { fix: hint });
}
