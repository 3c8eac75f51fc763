// Secrets stay out of logs, errors and pull requests: values that are known to be secret, and what has
// the shape of one. A guard rail: what has no shape and nobody named cannot be recognised.

import { join } from "node:path";
import type { Environment } from "../processes/environment.ts";
import { readPlainFile } from "./bounded-file.ts";

export type Redact = (text: string) => string;

const SECRET_NAME = /key|token|secret|passw|passphrase|pass$|_pat$|credential/i;
/** Shorter ones would take ordinary words out of every sentence. */
const SHORTEST = 8;
const MARK = "…";

const TELLING = String.raw`\b[\w-]*(?:key|token|secret|passw(?:or)?d|credential)s?["']?`;
/** So many at most: what is searched backwards for any number of them takes long where there are thousands. */
const SPACE = String.raw`\s{0,40}`;
const VALUE = String.raw`[^\s"'$(]`;
const behind = (sign: string, value: string): RegExp =>
  new RegExp(`(?<=${TELLING}${SPACE}${sign})${value}`, "gim");

const SHAPES: readonly RegExp[] = [
  /gh[a-z]_\w{10,}|github_pat_\w+/gi,
  /\bsk-[\w-]{16,}/g,
  /\bAKIA[0-9A-Z]{16}\b/g,
  /\bxox[abeprs]-[\w-]{10,}/g,
  /\beyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]*/g,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
  /(?<=\bBearer )[\w.~+/-]{12,}/gi,
  // A password in an address.
  /(?<=\/\/)[^/\s@]+(?=@)/g,
  // A value behind a telling name. Behind a colon people also write sentences: there it is what is quoted, the last
  // of its line, or no word that one could say.
  behind(`(?:=${SPACE}["']?|:|:${SPACE}["'])`, `${VALUE}{8,}`),
  behind(String.raw`:\s${SPACE}`, String.raw`${VALUE}{8,}(?=\s*(?:#|$))`),
  behind(String.raw`:\s${SPACE}`, String.raw`(?:(?=${VALUE}*\d)${VALUE}{8,}|${VALUE}{20,})`),
];

/** Settings have values that everybody has, and writes about. */
const NO_SECRETS: ReadonlySet<string> = new Set([
  "development",
  "production",
  "localhost",
  "127.0.0.1",
  "postgres",
]);

export function newRedactor(secrets: readonly string[]): Redact {
  const known = [...new Set(secrets)]
    .filter((secret) => secret.length >= SHORTEST && !NO_SECRETS.has(secret))
    .toSorted((one, other) => other.length - one.length);
  return (text) => {
    const without = known.reduce(
      (rest, secret) => withoutStump(rest.replaceAll(secret, MARK), secret),
      text,
    );
    return SHAPES.reduce((rest, shape) => rest.replaceAll(shape, MARK), without);
  };
}

/** What was cut to a length, which a mark at its end says, may end in the beginning of a secret. */
function withoutStump(text: string, secret: string): string {
  if (!text.endsWith(MARK)) return text;
  const cut = text.slice(0, -MARK.length);
  for (let length = Math.min(secret.length - 1, cut.length); length >= SHORTEST; length--) {
    if (cut.endsWith(secret.slice(0, length))) return `${cut.slice(0, -length)}${MARK}`;
  }
  return text;
}

/** The values of an environment whose names say that nobody should see them. */
export const secretsIn = (env: Environment): string[] =>
  Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && SECRET_NAME.test(name) ? [value] : [],
  );

/** All values of a file of settings like `.env`: who keeps it out of git has a reason. */
export const valuesIn = (text: string): string[] =>
  [
    ...text.matchAll(/^\s*(?:export\s+)?[A-Za-z_]\w*\s*=\s*["']?(?<value>[^"'\n]+?)["']?\s*$/gm),
  ].map(({ groups }) => groups?.["value"] ?? "");

/** For what is said about work with this environment, and with the values that these files of the folder hold. */
export const redactorFor = (env: Environment, folder: string, files: readonly string[]): Redact =>
  newRedactor([
    ...secretsIn(env),
    ...files.flatMap((file) => valuesIn(textOr(join(folder, file)))),
  ]);

/** A folder, or nothing at all: then there is nothing to hide in it. */
function textOr(file: string): string {
  try {
    return readPlainFile(file);
  } catch {
    return "";
  }
}
