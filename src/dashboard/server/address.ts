// The dashboard's port and key on this machine, in a file that only the user can read, so that bookmarks keep
// working and a second start finds the first. The lease `dashboard` says whether it is running.

import { createHash, randomBytes } from "node:crypto";
import { chmodSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import * as z from "zod";
import type { Environment } from "../../machine/processes/environment.ts";
import { readTextIfThere, writeDurably } from "../../machine/files/files.ts";
import { parseJson } from "../../text/parse-json.ts";
import { stateFolder } from "../../machine/files/state-folder.ts";
import { newTicket } from "./guard.ts";

const addressSchema = z.object({
  project: z.string(),
  port: z.int().min(1).max(65_535),
  key: z.string().regex(/^[\w-]{43}$/),
});
export type Address = z.infer<typeof addressSchema>;

export const addressText = ({ port, key }: Address): string =>
  `http://127.0.0.1:${port}/?key=${key}`;

/** The same with a one-time ticket instead of the key. */
export const openText = ({ port, key }: Address, nowMs: number, path = "/"): string =>
  `http://127.0.0.1:${port}${path}?ticket=${newTicket(key, nowMs)}`;

const hashOf = (project: string): string => createHash("sha256").update(project).digest("hex");

const fileOf = (env: Environment, project: string): string =>
  join(stateFolder(env), "dashboard", `${hashOf(project).slice(0, 16)}.json`);

/** Undefined if the file is missing or invalid. */
export function readAddress(env: Environment, project: string): Address | undefined {
  const text = readTextIfThere(fileOf(env, project));
  const address = addressSchema.safeParse(parseJson(text ?? "")).data;
  return address?.project === project ? address : undefined;
}

export function writeAddress(env: Environment, address: Address): void {
  const file = fileOf(env, address.project);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  // Before the key is written: an existing folder may be open to others.
  chmodSync(dirname(file), 0o700);
  writeDurably(file, `${JSON.stringify(address)}\n`);
  chmodSync(file, 0o600);
}

export const newKey = (): string => randomBytes(32).toString("base64url");

/** Below the ephemeral ports of common systems. Each project gets its own first choice. */
const FIRST_PORT = 21_000;
const PORTS = 9_000;
const ATTEMPTS = 20;

/** Ports to try, in order. */
export function portsFor(project: string, known: number | undefined): number[] {
  const first = Number.parseInt(hashOf(project).slice(0, 8), 16) % PORTS;
  const own = Array.from({ length: ATTEMPTS }, (_, at) => FIRST_PORT + ((first + at) % PORTS));
  return known === undefined ? own : [known, ...own];
}
