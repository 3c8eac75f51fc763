// A usage limit that somebody on this machine has run into. While it stands, no worker starts another
// run against it. It is remembered for each account, in the user's own state folder.

import { createHash } from "node:crypto";
import { homedir } from "node:os";
import { join } from "node:path";
import * as z from "zod";
import type { Environment } from "../machine/environment.ts";
import { makeFolder, readTextIfThere, writeDurably } from "../machine/files.ts";

const wallSchema = z.object({ until: z.iso.datetime(), reason: z.string() });

export interface Wall {
  readonly untilMs: number;
  readonly reason: string;
}

export function readWall(env: Environment, nowMs: number): Wall | undefined {
  const text = readTextIfThere(wallFile(env));
  const wall = text === undefined ? undefined : parse(text);
  if (!wall) return undefined;
  const untilMs = Date.parse(wall.until);
  return untilMs > nowMs ? { untilMs, reason: wall.reason } : undefined;
}

/** Of two the longer one stands: a short trouble of the service ends no account's limit. */
export function rememberWall(env: Environment, { untilMs, reason }: Wall): void {
  if (readWall(env, untilMs)) return;
  const file = wallFile(env);
  makeFolder(join(file, ".."));
  writeDurably(file, `${JSON.stringify({ until: new Date(untilMs).toISOString(), reason })}\n`);
}

function wallFile(env: Environment): string {
  const state = env["XDG_STATE_HOME"] || join(env["HOME"] || homedir(), ".local", "state");
  return join(state, "saga", "usage-limits", `${account(env)}.json`);
}

/** Whose limit it is: told apart without writing any secret down. */
function account(env: Environment): string {
  const names = ["ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"] as const;
  const more = ["CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CONFIG_DIR", "HOME"] as const;
  const values = [...names, ...more].map((name) => env[name] ?? "");
  return createHash("sha256").update(values.join("\0")).digest("hex").slice(0, 16);
}

function parse(text: string): z.output<typeof wallSchema> | undefined {
  try {
    return wallSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
