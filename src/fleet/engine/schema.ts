// What a fleet keeps in its database. Each project has schemas of its own, so a role can be limited to one project, and two
// projects on one database never meet. Git stays the truth: all of this can be dropped and built again.

import { SagaError } from "../../errors.ts";
import { sqlState, type Database } from "./database.ts";

/** 2: the lanes at the remote. 3: budgets of epics. */
const SCHEMA_VERSION = 3;
const OLDEST_SERVER = 13;

/** `shop` has its tables in `saga_shop`, and its jobs in `saga_shop_jobs`. The fleet's name is a plain id. */
export const schemaOf = (fleet: string): string => `saga_${fleet.replaceAll("-", "_")}`;
export const jobSchemaOf = (fleet: string): string => `${schemaOf(fleet)}_jobs`;

export interface FleetIdentity {
  readonly fleet: string;
  /** The first commit of the repository: the same in every clone. */
  readonly root: string;
}

const tables = (schema: string): readonly string[] => [
  `CREATE TABLE IF NOT EXISTS ${schema}.meta (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    version int NOT NULL,
    root text NOT NULL,
    sealing_key bytea NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
  )`,
  `CREATE TABLE IF NOT EXISTS ${schema}.lease (
    name text PRIMARY KEY,
    fence bigint NOT NULL,
    record jsonb,
    left_by jsonb,
    token uuid,
    ttl interval NOT NULL,
    taken_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    renewed_at timestamptz NOT NULL DEFAULT clock_timestamp()
  )`,
  `CREATE TABLE IF NOT EXISTS ${schema}.machine (
    name text PRIMARY KEY,
    slots int NOT NULL,
    labels text[] NOT NULL DEFAULT '{}',
    version text NOT NULL,
    joined_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    seen_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    is_draining boolean NOT NULL DEFAULT false,
    left_at timestamptz
  )`,
  `CREATE TABLE IF NOT EXISTS ${schema}.run (
    story text NOT NULL,
    run text NOT NULL,
    machine text NOT NULL,
    body jsonb NOT NULL,
    updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (story, run)
  )`,
  `CREATE INDEX IF NOT EXISTS run_updated_at ON ${schema}.run (updated_at)`,
  `CREATE TABLE IF NOT EXISTS ${schema}.event (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    machine text NOT NULL,
    story text NOT NULL,
    run text NOT NULL,
    seq int NOT NULL,
    body jsonb NOT NULL,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    UNIQUE (story, run, seq)
  )`,
  `CREATE TABLE IF NOT EXISTS ${schema}.stop_request (
    story text PRIMARY KEY,
    fence bigint NOT NULL,
    by_whom text NOT NULL,
    at timestamptz NOT NULL DEFAULT clock_timestamp()
  )`,
  `CREATE TABLE IF NOT EXISTS ${schema}.lane_entry (
    id text PRIMARY KEY,
    lane text NOT NULL,
    kind text NOT NULL,
    name text NOT NULL,
    machine text NOT NULL,
    body jsonb NOT NULL,
    enqueued_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    changed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    held_by text,
    is_left boolean NOT NULL DEFAULT false,
    is_landing boolean NOT NULL DEFAULT false,
    outcome jsonb
  )`,
  `CREATE UNIQUE INDEX IF NOT EXISTS lane_entry_waiting ON ${schema}.lane_entry (lane, kind, name)
    WHERE outcome IS NULL`,
  `CREATE TABLE IF NOT EXISTS ${schema}.lane_now (lane text PRIMARY KEY, body jsonb NOT NULL)`,
  `CREATE TABLE IF NOT EXISTS ${schema}.lane_batch (
    lane text NOT NULL,
    body jsonb NOT NULL,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (lane, at)
  )`,
  `CREATE TABLE IF NOT EXISTS ${schema}.epic_run (
    epic text PRIMARY KEY,
    stories text[] NOT NULL,
    budget_usd float8 NOT NULL,
    before jsonb NOT NULL
  )`,
  `ALTER TABLE ${schema}.stop_request ADD COLUMN IF NOT EXISTS spent_budget_usd float8`,
];

/** Creates what is missing. Repeating it changes nothing. */
export async function createSchema(
  database: Database,
  { fleet, root }: FleetIdentity,
  sealingKey: Buffer,
): Promise<void> {
  await requireServer(database);
  const schema = schemaOf(fleet);
  // Another project's tables, or those of a newer Saga, are not completed.
  refuseOther(await readMeta(database, fleet), { fleet, root });
  await database.together(async (query) => {
    // Two people may set the fleet up at the same moment.
    await query("SELECT pg_advisory_xact_lock(hashtext($1))", [schema]);
    await query(`CREATE SCHEMA IF NOT EXISTS ${schema}`);
    for (const table of tables(schema)) await query(table);
    await query(
      `INSERT INTO ${schema}.meta AS m (version, root, sealing_key) VALUES ($1, $2, $3)
       ON CONFLICT (only_row) DO UPDATE SET version = greatest(m.version, excluded.version)
       WHERE m.root = excluded.root`,
      [SCHEMA_VERSION, root, sealingKey],
    );
  });
  await requireSchema(database, { fleet, root });
}

/** Throws unless the fleet exists, is this repository's, and is of a version that this Saga knows. */
export async function requireSchema(
  database: Pick<Database, "query">,
  { fleet, root }: FleetIdentity,
): Promise<void> {
  const meta = await readMeta(database, fleet);
  if (meta === undefined) {
    throw new SagaError("not-ready", `The database has no fleet ${fleet}.`, {
      hint: "Create it: `saga fleet init`.",
    });
  }
  refuseOther(meta, { fleet, root });
  if (meta.version === SCHEMA_VERSION) return;
  throw new SagaError("not-ready", `An older Saga set up the fleet ${fleet}: it lacks tables.`, {
    hint: "Run `saga fleet init` once more, with `--grant <role>` if its members have a role of their own.",
  });
}

interface Meta {
  readonly version: number;
  readonly root: string;
}

function refuseOther(meta: Meta | undefined, { fleet, root }: FleetIdentity): void {
  if (meta === undefined) return;
  if (meta.version > SCHEMA_VERSION) {
    throw new SagaError("not-ready", `A newer Saga set up the fleet ${fleet}.`, {
      hint: "Update Saga on this machine: all members need the same version.",
    });
  }
  if (meta.root !== root) {
    throw new SagaError("in-use", `The fleet ${fleet} belongs to another repository.`, {
      hint: "Choose another name: `saga fleet init --name <name>`.",
    });
  }
}

async function readMeta(
  { query }: Pick<Database, "query">,
  fleet: string,
): Promise<Meta | undefined> {
  try {
    const [meta] = await query<Meta>(`SELECT version, root FROM ${schemaOf(fleet)}.meta`);
    return meta;
  } catch (error) {
    // No such schema, or no such table.
    if (["3F000", "42P01"].includes(causeState(error) ?? "")) return undefined;
    throw error;
  }
}

/** The key that all members seal records with on their way. */
export async function readSealingKey(
  { query }: Pick<Database, "query">,
  fleet: string,
): Promise<Buffer | undefined> {
  const [row] = await query<{ sealing_key: Buffer }>(
    `SELECT sealing_key FROM ${schemaOf(fleet)}.meta`,
  );
  return row?.sealing_key;
}

const causeState = (error: unknown): string | undefined =>
  error instanceof SagaError ? sqlState(error.cause) : sqlState(error);

async function requireServer({ query }: Database): Promise<void> {
  const [row] = await query<{ version: string }>(
    "SELECT current_setting('server_version_num') AS version",
  );
  const major = Math.floor(Number(row?.version) / 10_000);
  if (major >= OLDEST_SERVER) return;
  throw new SagaError(
    "not-ready",
    `The fleet needs PostgreSQL ${OLDEST_SERVER} or newer, and this is ${major}.`,
    {
      hint: "Upgrade the server, or use another one.",
    },
  );
}

/** The least rights of a member: its project's rows, and nothing else. For a person to run, or `saga fleet init --grant`. */
export const grantsFor = (fleet: string, role: string): readonly string[] =>
  [schemaOf(fleet), jobSchemaOf(fleet)].flatMap((schema) => [
    `GRANT USAGE ON SCHEMA ${schema} TO ${quoted(role)}`,
    `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schema} TO ${quoted(role)}`,
    `GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA ${schema} TO ${quoted(role)}`,
  ]);

/** Throws unless the database knows the role that is to be granted rights. */
export async function requireRole({ query }: Pick<Database, "query">, role: string): Promise<void> {
  const rows = await query("SELECT 1 FROM pg_roles WHERE rolname = $1", [role]);
  if (rows.length > 0) return;
  throw new SagaError("not-found", `The database has no role ${role}.`, {
    hint: `Create it first, as in docs/fleet.md: \`CREATE ROLE ${role} LOGIN PASSWORD '…'\`. Nothing was changed.`,
  });
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
