// A usage limit that any worker on this machine has reached. Until it ends, no worker starts another agent
// run. It is recorded per account, in the user's state folder.

import { createHash } from "node:crypto";
import { dirname, join } from "node:path";
import * as z from "zod";
import type { Environment } from "../machine/processes/environment.ts";
import { makeFolder, readTextIfThere, writeDurably } from "../machine/files/files.ts";
import { parseJson } from "../text/parse-json.ts";
import { stateFolder } from "../machine/files/state-folder.ts";

const limitSchema = z.object({ until: z.iso.datetime(), reason: z.string() });

export interface UsageLimit {
  readonly untilMs: number;
  readonly reason: string;
}

/** The limit for runs with this model that ends last. */
export function readUsageLimit(
  env: Environment,
  nowMs: number,
  model: string,
): UsageLimit | undefined {
  const families = FAMILIES.filter((family) => model.toLowerCase().includes(family));
  return [undefined, ...families, aliasOf(model)]
    .flatMap((models) => readFile(env, models) ?? [])
    .filter(({ untilMs }) => untilMs > nowMs)
    .toSorted((one, other) => other.untilMs - one.untilMs)[0];
}

/**
 * A longer limit is kept: a short overload of the service does not end an account's limit. `model` is the model
 * that was requested: its name may not contain its family, as in `default`, and is recorded too then.
 */
export function recordUsageLimit(
  env: Environment,
  usageLimit: UsageLimit,
  family?: string,
  model = "",
): void {
  const known = FAMILIES.find((one) => one === family);
  const isNamed = known === undefined || model === "" || model.toLowerCase().includes(known);
  for (const models of isNamed ? [known] : [known, aliasOf(model)])
    remember(env, usageLimit, models);
}

/** No limit lasts longer than a month. */
const LONGEST_LIMIT_MS = 32 * 24 * 3600_000;

/**
 * When a limit ends. A time in the past, by this clock, would mean no wait at all, and a time further away than
 * any limit lasts is wrong: the pause counts then.
 */
export function endOfLimit(
  resetsAtMs: number | undefined,
  { nowMs, pauseMs }: { readonly nowMs: number; readonly pauseMs: number },
): number {
  const soonestMs = nowMs + pauseMs;
  const isPlausible = resetsAtMs !== undefined && resetsAtMs < nowMs + LONGEST_LIMIT_MS;
  return isPlausible ? Math.max(resetsAtMs, soonestMs) : soonestMs;
}

function remember(
  env: Environment,
  { untilMs, reason }: UsageLimit,
  models: string | undefined,
): void {
  if ((readFile(env, models)?.untilMs ?? 0) > untilMs) return;
  const file = limitFile(env, models);
  makeFolder(dirname(file));
  writeDurably(file, `${JSON.stringify({ until: new Date(untilMs).toISOString(), reason })}\n`);
}

/** The prompt for an agent whose conversation a usage limit interrupted. */
export const CONTINUE = "The usage limit has ended. Continue where you were.";

/** Models with separate limits; all others share the account's. */
const FAMILIES = ["opus", "sonnet"] as const;

/** The model as part of a file name. */
const aliasOf = (model: string): string => model.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");

function readFile(env: Environment, models: string | undefined): UsageLimit | undefined {
  const text = readable(limitFile(env, models));
  const usageLimit = text === undefined ? undefined : parse(text);
  return usageLimit && { untilMs: Date.parse(usageLimit.until), reason: usageLimit.reason };
}

/** Undefined also if the state folder cannot be read: that must not stop the work. */
function readable(file: string): string | undefined {
  try {
    return readTextIfThere(file);
  } catch {
    return undefined;
  }
}

function limitFile(env: Environment, models: string | undefined): string {
  const name = models === undefined ? account(env) : `${account(env)}.${models}`;
  return join(stateFolder(env), "usage-limits", `${name}.json`);
}

/** Identifies the account without writing a secret to disk. */
function account(env: Environment): string {
  const names = ["ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"] as const;
  const more = ["CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CONFIG_DIR", "HOME"] as const;
  const values = [...names, ...more].map((name) => env[name] ?? "");
  return createHash("sha256").update(values.join("\0")).digest("hex").slice(0, 16);
}

const parse = (text: string): z.output<typeof limitSchema> | undefined =>
  limitSchema.safeParse(parseJson(text)).data;
