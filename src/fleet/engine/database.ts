// The connection to the fleet's PostgreSQL. Every error says what to do; none contains the address, which holds a password.

import { Pool, type PoolClient } from "pg";
import { messageOf, SagaError } from "../../errors.ts";
import type { Environment } from "../../machine/processes/environment.ts";
import { startProbe, type DatabaseState } from "./connection-probe.ts";

export interface Database {
  /** One statement. Values go in as parameters, never into the text. */
  readonly query: <Row>(text: string, values?: readonly unknown[]) => Promise<readonly Row[]>;
  /** The same, with the answer and the errors of PostgreSQL as they are: for the engine. */
  readonly execute: (text: string, values?: unknown[]) => Promise<{ rows: unknown[] }>;
  /** All statements take effect or none. */
  readonly together: <T>(act: (query: Database["query"]) => Promise<T>) => Promise<T>;
  readonly close: () => Promise<void>;
}

export interface DatabaseOptions {
  /** Default: 3. */
  readonly connections?: number;
  readonly connectTimeoutMs?: number;
  readonly statementTimeoutMs?: number;
  /** It does not answer, or answers again. Connections are replaced by themselves. */
  readonly onState?: ((state: DatabaseState) => void) | undefined;
  readonly probeEveryMs?: number;
  readonly probeDeadlineMs?: number;
}

export function openDatabase(
  url: string,
  {
    connections = 3,
    connectTimeoutMs = 5_000,
    statementTimeoutMs = 10_000,
    onState = () => undefined,
    probeEveryMs: everyMs,
    probeDeadlineMs: deadlineMs,
  }: DatabaseOptions = {},
): Database {
  const pool = new Pool({
    connectionString: requireAddress(url),
    max: connections,
    connectionTimeoutMillis: connectTimeoutMs,
    // The server ends a statement first; this notices a server that does not answer at all.
    statement_timeout: statementTimeoutMs,
    query_timeout: statementTimeoutMs + 1_000,
    keepAlive: true,
    // A command ends when its work is done, not when its connections have timed out.
    allowExitOnIdle: true,
    application_name: "saga",
  });
  // An idle connection that breaks is replaced by the next query.
  pool.on("error", () => undefined);
  const clients = new Set<PoolClient>();
  pool.on("connect", (client) => clients.add(client));
  pool.on("remove", (client) => clients.delete(client));
  const probe = startProbe({
    ask: () => pool.query("SELECT 1"),
    // Queries that wait on them fail at once, and the next ones connect again.
    onDead: () => clients.forEach(breakConnection),
    onState,
    everyMs,
    deadlineMs,
  });
  return {
    async query<Row>(text: string, values: readonly unknown[] = []) {
      try {
        return (await pool.query(text, [...values])).rows as Row[];
      } catch (error) {
        throw databaseError(error);
      }
    },
    execute: (text, values) => pool.query(text, values),
    async together(act) {
      const client = await pool.connect().catch((error: unknown) => {
        throw databaseError(error);
      });
      // A connection that breaks while it is used reports that in its query.
      const ignore = (): void => undefined;
      client.on("error", ignore);
      let isBroken = true;
      const query = async <Row>(text: string, values: readonly unknown[] = []): Promise<Row[]> =>
        (await client.query(text, [...values])).rows as Row[];
      try {
        await client.query("BEGIN");
        const result = await act(query);
        await client.query("COMMIT");
        isBroken = false;
        return result;
      } catch (error) {
        isBroken = !(await client.query("ROLLBACK").then(
          () => true,
          () => false,
        ));
        throw databaseError(error);
      } finally {
        client.off("error", ignore);
        client.release(isBroken);
      }
    },
    close() {
      probe.end();
      return pool.end();
    },
  };
}

/** To end it politely would wait for an answer that never comes. */
function breakConnection(client: PoolClient): void {
  const { connection } = client as unknown as {
    readonly connection?: { readonly stream?: { readonly destroy: () => void } };
  };
  connection?.stream?.destroy();
}

/** The environment variable with the address. It is never read from a file: it holds a password. */
const FLEET_URL = "SAGA_FLEET_URL";

export function requireFleetUrl(env: Environment): string {
  const url = env[FLEET_URL];
  if (url) return requireAddress(url);
  throw new SagaError("not-ready", `The address of the fleet's database is not set.`, {
    hint: `Set it in the environment: \`export ${FLEET_URL}=postgres://user:password@host:5432/database\`. It is never written to a file of the project.`,
  });
}

function requireAddress(url: string): string {
  const scheme = URL.canParse(url) ? new URL(url).protocol : "";
  if (scheme === "postgres:" || scheme === "postgresql:") return url;
  throw new SagaError("usage", `${FLEET_URL} is not the address of a PostgreSQL database.`, {
    hint: "It looks like this: `postgres://user:password@host:5432/database`.",
  });
}

/** SQLSTATE codes, and what to do. https://www.postgresql.org/docs/current/errcodes-appendix.html */
const ANSWERS: Readonly<Record<string, readonly [sentence: string, hint: string]>> = {
  "28P01": ["The fleet's database refused the password.", `Check the password in ${FLEET_URL}.`],
  "28000": [
    "The fleet's database refused this user.",
    `Check the user in ${FLEET_URL}, and pg_hba.conf.`,
  ],
  "3D000": [
    "The fleet's database does not exist on that server.",
    "Create it with `createdb`, or correct the name at the end of the address.",
  ],
  "42501": [
    "The database user lacks a right that this needs.",
    "docs/fleet.md lists the rights that a member needs, and those for `saga fleet init`.",
  ],
  "53300": [
    "The fleet's database has no free connection.",
    "Raise `max_connections` there, or run fewer members.",
  ],
  "57014": ["The fleet's database did not answer in time.", "Its load may be too high."],
};

/** What the driver or Node says before PostgreSQL has given a code. */
const CONNECTING = [
  {
    isIt: /password must be a string/,
    sentence: "The fleet's database wants a password.",
    hint: `Add it to ${FLEET_URL}: \`postgres://user:password@host:5432/database\`.`,
  },
  {
    isIt: /does not support SSL/,
    sentence: "The fleet's database has no TLS, and `sslmode` asks for it.",
    hint: `Turn TLS on there. Only on a private network: remove \`sslmode\` from ${FLEET_URL}.`,
  },
  {
    isIt: /CERT|certificate|UNABLE_TO_(?:GET|VERIFY)/i,
    sentence: "The certificate of the fleet's database is not trusted.",
    hint: `It must name the host in ${FLEET_URL}. For an authority of your own, set NODE_EXTRA_CA_CERTS to its file.`,
  },
] as const;

const connectFailure = (error: unknown): string => {
  const { code } = error as { readonly code?: unknown };
  return sqlState(error) === undefined
    ? `${typeof code === "string" ? code : ""} ${messageOf(error)}`
    : "";
};

/** The code that PostgreSQL gave, if it answered at all. */
export const sqlState = (error: unknown): string | undefined => {
  const { code } = error as { readonly code?: unknown };
  return typeof code === "string" && /^[0-9A-Z]{5}$/.test(code) ? code : undefined;
};

function databaseError(error: unknown): SagaError {
  if (error instanceof SagaError) return error;
  const answer = ANSWERS[sqlState(error) ?? ""];
  if (answer) return new SagaError("program-failed", answer[0], { hint: answer[1], cause: error });
  const connecting = CONNECTING.find(({ isIt }) => isIt.test(connectFailure(error)));
  if (connecting) {
    return new SagaError("program-failed", connecting.sentence, {
      hint: connecting.hint,
      cause: error,
    });
  }
  if (sqlState(error) === undefined) {
    return new SagaError(
      "program-failed",
      `The fleet's database cannot be reached: ${cause(error)}.`,
      {
        hint: `Check that it runs, and the address in ${FLEET_URL}.`,
        cause: error,
      },
    );
  }
  return new SagaError("program-failed", `The fleet's database failed: ${messageOf(error)}.`, {
    hint: "No work was lost. Run the command again; `saga doctor` checks the database.",
    cause: error,
  });
}

/** Node joins the errors of all addresses of a host into one without a message. */
function cause(error: unknown): string {
  const errors = error instanceof AggregateError ? error.errors : [error];
  return errors.map((one) => messageOf(one).replace(/\.$/, "")).join("; ");
}
