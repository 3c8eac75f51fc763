// A fleet, opened by one of its machines: everything that is kept in its database.

import { SagaError } from "../errors.ts";
import type { Environment } from "../machine/processes/environment.ts";
import type { Leases } from "../store/leases/leases.ts";
import { openEpicBudgets, type EpicBudgets } from "./engine/epic-budgets.ts";
import {
  openDatabase,
  requireFleetUrl,
  type Database,
  type DatabaseOptions,
} from "./engine/database.ts";
import { HEARTBEAT_SECONDS, openJobs, type Jobs } from "./engine/jobs.ts";
import { openDatabaseLeases } from "./engine/leases.ts";
import { isMachineName } from "./engine/machine-name.ts";
import { openMachines, type Machines } from "./engine/machines.ts";
import { openStopRequests, type StopRequests } from "./engine/stop-requests.ts";
import { openLaneTable, type LaneTable } from "./lanes/lane-table.ts";
import { openSharedQueue } from "./lanes/shared-queue.ts";
import { openExchange, type Exchange } from "./records/exchange-runs.ts";
import { openLook, type ElsewhereLook, type LookOptions } from "./view/read-other-machines.ts";
import type { Repository } from "../repo/repository.ts";
import { openRecords, type RunRecords } from "./records/records.ts";
import { layoutOf } from "../store/project/layout.ts";
import { openQueue } from "../store/queue/file-queue.ts";
import { makeReceiptKey } from "../store/runs/receipt-key.ts";
import type { Store } from "../store/store.ts";
import {
  jobSchemaOf,
  readSealingKey,
  requireSchema,
  schemaOf,
  type FleetIdentity,
} from "./engine/schema.ts";

export interface Fleet extends FleetIdentity {
  /** The name of this machine. */
  readonly machine: string;
  readonly database: Database;
  readonly schema: string;
  readonly leases: Leases;
  readonly machines: Machines;
  readonly stopRequests: StopRequests;
  readonly epicBudgets: EpicBudgets;
  /** The runs of this machine's clone, and those of the others. */
  readonly openExchange: (store: Store) => Exchange;
  /** At what the other machines have, for this machine's commands and pages. */
  readonly openLook: (
    store: Store,
    repository: Repository,
    onDiscards?: LookOptions["onDiscards"],
  ) => ElsewhereLook;
  readonly records: RunRecords;
  /** The lanes at the remote. */
  readonly openLanes: () => LaneTable;
  readonly openJobs: (options?: {
    readonly supervise?: boolean;
    readonly onProblem?: (error: unknown) => void;
  }) => Promise<Jobs>;
  readonly close: () => Promise<void>;
}

export interface FleetRequest extends FleetIdentity {
  readonly env: Environment;
  /** The database does not answer, or answers again. */
  readonly onState?: DatabaseOptions["onState"];
}

/** Throws unless the fleet exists and is this repository's. */
export async function openFleet({ fleet, root, env, onState }: FleetRequest): Promise<Fleet> {
  const url = requireFleetUrl(env);
  const machine = machineName(env);
  const database = openDatabase(url, { onState });
  try {
    await requireSchema(database, { fleet, root });
  } catch (error) {
    await database.close();
    throw error;
  }
  const schema = schemaOf(fleet);
  const records = openRecords(database, schema);
  const leases = openDatabaseLeases(database, schema, { machine });
  let fleetKey: Promise<Buffer | undefined> | undefined;
  const exchangeFor = (store: Store): Exchange =>
    openExchange({
      store,
      machine,
      records,
      ownKey: () => makeReceiptKey(env).key,
      fleetKey: () => (fleetKey ??= readSealingKey(database, fleet)),
    });
  return {
    fleet,
    root,
    machine,
    database,
    schema,
    leases,
    machines: openMachines(database, schema, HEARTBEAT_SECONDS),
    records,
    stopRequests: openStopRequests(database, schema),
    epicBudgets: openEpicBudgets(database, { schema, jobSchema: jobSchemaOf(fleet) }),
    openExchange: exchangeFor,
    openLook(store, repository, onDiscards) {
      const exchange = exchangeFor(store);
      const at = layoutOf(store.project);
      const shared = { table: openLaneTable(database, schema, machine), exchange };
      const local = openQueue(at, Date.now);
      const queue = openSharedQueue({ at, local, shared: async () => shared });
      return openLook({
        fleet: { machine, leases },
        queue,
        exchange,
        repository,
        store,
        onDiscards,
      });
    },
    openLanes: () => openLaneTable(database, schema, machine),
    openJobs: (options) => openJobs(database, { schema: jobSchemaOf(fleet), ...options }),
    close: () => database.close(),
  };
}

/** Overrides the host's name: for two clones on one machine. */
const MACHINE_VARIABLE = "SAGA_FLEET_MACHINE";

export function machineName(env: Environment): string {
  const given = env[MACHINE_VARIABLE];
  const name = given ?? slugOf(process.getBuiltinModule("node:os").hostname());
  if (isMachineName(name)) return name;
  throw new SagaError("bad-id", `${JSON.stringify(name)} is not the name of a machine.`, {
    hint: `Set ${MACHINE_VARIABLE} to lower-case letters, digits and dashes.`,
  });
}

export const slugOf = (host: string): string =>
  host
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "")
    .slice(0, 60)
    .replace(/-$/, "");
