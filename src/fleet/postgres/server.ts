// A PostgreSQL server of its own on 127.0.0.1, for `saga fleet demo` and the tests. Its data is thrown away at the end.

import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chownSync, cpSync, mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { SagaError } from "../../errors.ts";
import { plainEnvironment } from "../../machine/processes/environment.ts";
import { openDatabase } from "../engine/database.ts";

export interface PostgresServer {
  /** The address of a database on it. Default: the one that every server has. */
  readonly url: (database?: string) => string;
  /** `immediate`: as in a crash. What was committed stays. */
  readonly stop: (how?: "fast" | "immediate") => Promise<void>;
  /** After a stop, with the same data and address. */
  readonly start: () => Promise<void>;
  /** Stops it and deletes its data. */
  readonly remove: () => Promise<void>;
}

export interface PostgresPrograms {
  readonly initdb: string;
  readonly postgres: string;
}

const START_TIMEOUT_MS = 60_000;

export async function newPostgres(programs: PostgresPrograms): Promise<PostgresServer> {
  const user = unprivileged();
  const folder = mkdtempSync(join(user ? openTemporaryFolder() : tmpdir(), "saga-postgres-"));
  if (user) chownSync(folder, user.uid, user.gid);
  const { initdb, postgres } = user ? readableFor(programs, folder) : programs;
  const data = join(folder, "data");
  const port = await freePort();
  const start = (program: string, args: readonly string[]): ChildProcess =>
    spawn(program, args, {
      ...user,
      cwd: folder,
      env: plainEnvironment(process.env),
      stdio: ["ignore", "ignore", "pipe"],
    });
  const init = start(initdb, [
    "-D",
    data,
    "-U",
    "saga",
    "-A",
    "trust",
    "-E",
    "UTF8",
    "--locale=C",
    "-N",
  ]);
  await requireSuccess(init, "initdb");
  let server: ChildProcess | undefined;
  const url = (database = "postgres"): string => `postgres://saga@127.0.0.1:${port}/${database}`;
  const stop: PostgresServer["stop"] = async (how = "fast") => {
    if (server === undefined) return;
    const ended = server.exitCode === null ? once(server, "exit") : undefined;
    server.kill(how === "immediate" ? "SIGQUIT" : "SIGINT");
    await ended;
    server = undefined;
  };
  const running: PostgresServer = {
    url,
    stop,
    async start() {
      const settings = [
        "listen_addresses=127.0.0.1",
        `port=${port}`,
        `unix_socket_directories=`,
        "max_connections=300",
        // Its data outlives no restart of the machine anyway.
        "fsync=off",
      ];
      server = start(postgres, ["-D", data, ...settings.flatMap((one) => ["-c", one])]);
      server.stderr?.resume();
      process.once("exit", () => server?.kill("SIGQUIT"));
      await untilAnswering(url());
    },
    async remove() {
      await stop("immediate");
      rmSync(folder, { recursive: true, force: true });
    },
  };
  await running.start();
  return running;
}

async function untilAnswering(url: string): Promise<void> {
  const database = openDatabase(url, { connections: 1, connectTimeoutMs: 1_000 });
  try {
    for (const endMs = Date.now() + START_TIMEOUT_MS; ; await wait(20)) {
      const isUp = await database.query("SELECT 1").then(
        () => true,
        (error: unknown) => {
          if (Date.now() > endMs) throw error;
          return false;
        },
      );
      if (isUp) return;
    }
  } finally {
    await database.close();
  }
}

async function requireSuccess(child: ChildProcess, name: string): Promise<void> {
  let errors = "";
  child.stderr?.on("data", (chunk: Buffer) => (errors += chunk.toString()));
  const [code] = (await once(child, "close")) as [number | null];
  if (code === 0) return;
  throw new SagaError("program-failed", `${name} failed: ${errors.trim().slice(-500)}`);
}

/** PostgreSQL refuses to run as root. */
const unprivileged = (): { readonly uid: number; readonly gid: number } | undefined =>
  process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : undefined;

/** Another user must reach its data: a temporary folder of root's own may be closed to others. */
function openTemporaryFolder(): string {
  const found = [tmpdir(), "/tmp", "/var/tmp"].find((folder) => isOpenToAll(join(folder, "any")));
  if (found !== undefined) return found;
  throw new SagaError("not-ready", `${tmpdir()} is closed to other users.`, {
    hint: "PostgreSQL does not run as root: run this as another user, or set TMPDIR to a folder that all users can reach.",
  });
}

/** The programs, where any user can read them: root's own folders are closed to others. */
function readableFor({ initdb, postgres }: PostgresPrograms, folder: string): PostgresPrograms {
  if (isOpenToAll(postgres)) return { initdb, postgres };
  const copy = join(folder, "native");
  mkdirSync(copy);
  cpSync(dirname(dirname(postgres)), copy, { recursive: true, verbatimSymlinks: true });
  return { initdb: join(copy, "bin/initdb"), postgres: join(copy, "bin/postgres") };
}

function isOpenToAll(path: string): boolean {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const { mode = 0 } = statSync(folder, { throwIfNoEntry: false }) ?? {};
    if ((mode & 0o001) === 0) return false;
    if (folder === dirname(folder)) return true;
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
