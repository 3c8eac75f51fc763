// A usage limit that somebody on this machine has run into. While it stands, no worker starts another
// run against it. It is remembered for each account, in the user's own state folder.

import { createHash } from "node:crypto";
import { dirname, join } from "node:path";
import * as z from "zod";
import type { Environment } from "../machine/processes/environment.ts";
import { makeFolder, readTextIfThere, writeDurably } from "../machine/files/files.ts";
import { parseJson } from "../text/parse-json.ts";
import { stateFolder } from "../machine/files/state-folder.ts";

const wallSchema = z.object({ until: z.iso.datetime(), reason: z.string() });

export interface UsageLimit {
  readonly untilMs: number;
  readonly reason: string;
}

/** The longest that stands before runs with this model. */
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
 * Of two the longer one stands: a short trouble of the service ends no account's limit. `model` is what was
 * asked for: one that is called `default` ran into the limit of a family that its name does not tell.
 */
export function recordUsageLimit(
  env: Environment,
  usageLimit: UsageLimit,
  family?: string,
  model = "",
): void {
  const known = FAMILIES.find((one) => one === family);
  const isTold = known === undefined || model === "" || model.toLowerCase().includes(known);
  for (const models of isTold ? [known] : [known, aliasOf(model)])
    remember(env, usageLimit, models);
}

/** No account waits longer than a month for its limit. */
const LONGEST_LIMIT_MS = 32 * 24 * 3600_000;

/**
 * When a limit is over, as far as it was told. A time that is over already, by this clock, would be no wait
 * at all, and one that no limit lasts until is no time: then there is a pause.
 */
export function endOfLimit(
  resetsAtMs: number | undefined,
  { nowMs, pauseMs }: { readonly nowMs: number; readonly pauseMs: number },
): number {
  const soonestMs = nowMs + pauseMs;
  const isTold = resetsAtMs !== undefined && resetsAtMs < nowMs + LONGEST_LIMIT_MS;
  return isTold ? Math.max(resetsAtMs, soonestMs) : soonestMs;
}

function remember(
  env: Environment,
  { untilMs, reason }: UsageLimit,
  models: string | undefined,
): void {
  if ((readFile(env, models)?.untilMs ?? 0) > untilMs) return;
  const file = wallFile(env, models);
  makeFolder(dirname(file));
  writeDurably(file, `${JSON.stringify({ until: new Date(untilMs).toISOString(), reason })}\n`);
}

/** What an agent is told, in the conversation that it was in, when there is none any more. */
export const CONTINUE = "The limit is over. Go on where you were.";

/** Models that have limits of their own; all others share the account's. */
const FAMILIES = ["opus", "sonnet"] as const;

/** As part of a file's name. */
const aliasOf = (model: string): string => model.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");

function readFile(env: Environment, models: string | undefined): UsageLimit | undefined {
  const text = readable(wallFile(env, models));
  const usageLimit = text === undefined ? undefined : parse(text);
  return usageLimit && { untilMs: Date.parse(usageLimit.until), reason: usageLimit.reason };
}

/** Where no state can be kept, none was: that is no reason not to work. */
function readable(file: string): string | undefined {
  try {
    return readTextIfThere(file);
  } catch {
    return undefined;
  }
}

function wallFile(env: Environment, models: string | undefined): string {
  const name = models === undefined ? account(env) : `${account(env)}.${models}`;
  return join(stateFolder(env), "usage-limits", `${name}.json`);
}

/** Whose limit it is: told apart without writing any secret down. */
function account(env: Environment): string {
  const names = ["ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"] as const;
  const more = ["CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CONFIG_DIR", "HOME"] as const;
  const values = [...names, ...more].map((name) => env[name] ?? "");
  return createHash("sha256").update(values.join("\0")).digest("hex").slice(0, 16);
}

const parse = (text: string): z.output<typeof wallSchema> | undefined =>
  wallSchema.safeParse(parseJson(text)).data;
