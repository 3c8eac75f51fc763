// A real PostgreSQL for tests: one server for a run of all tests, one database per test.

import { randomUUID } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inject, onTestFinished } from "vitest";
import { openDatabase, type Database } from "../../src/fleet/engine/database.ts";
import type { PostgresServer } from "../../src/fleet/postgres/server.ts";
import { startPostgres } from "./run-postgres.ts";
import { becomesTrue } from "./until.ts";

/** What tests need of a server. */
export type PostgresAddress = Pick<PostgresServer, "url">;

/** The server of this run of the tests, which starts with the first test that asks for it. */
export function usePostgres(): () => Promise<PostgresAddress> {
  return async () => {
    const folder = inject("postgresFolder");
    const address = join(folder, "address");
    if (!existsSync(address)) writeFileSync(join(folder, "wanted"), "");
    await becomesTrue("a PostgreSQL server", () => existsSync(address));
    const first = new URL(readFileSync(address, "utf8"));
    return { url: (name) => (name === undefined ? first.href : new URL(`/${name}`, first).href) };
  };
}

/** A server of its own, for a test that stops it. */
export async function ownPostgres(): Promise<PostgresServer> {
  const server = await startPostgres();
  onTestFinished(server.remove);
  return server;
}

/** The address of a new, empty database. */
export async function newDatabase(server: PostgresAddress): Promise<string> {
  const name = `test_${randomUUID().replaceAll("-", "")}`;
  await asking(server.url(), ({ query }) => query(`CREATE DATABASE ${name}`));
  return server.url(name);
}

/** With all connections to it. */
export const dropDatabase = (server: PostgresAddress, url: string): Promise<unknown> =>
  asking(server.url(), ({ query }) =>
    query(`DROP DATABASE ${new URL(url).pathname.slice(1)} WITH (FORCE)`),
  );

export async function asking<T>(url: string, act: (database: Database) => Promise<T>): Promise<T> {
  const database = openDatabase(url, { connections: 1 });
  try {
    return await act(database);
  } finally {
    await database.close();
  }
}
