// Keeps secrets out of logs, errors and pull requests: known values, and text shaped like a secret. A guard rail: a
// secret of unknown value and no typical shape is not recognised.

import { join } from "node:path";
import type { Environment } from "../processes/environment.ts";
import { readRegularFile } from "./bounded-file.ts";

export type Redact = (text: string) => string;

const SECRET_NAME = /key|token|secret|passw|passphrase|pass$|_pat$|credential/i;
/** Shorter values would redact ordinary words. */
const SHORTEST = 8;
const MARK = "…";

const SECRET_FIELD = String.raw`\b[\w-]*(?:key|token|secret|passw(?:or)?d|credential)s?["']?`;
/** Bounded: a look-behind for any number of spaces is slow on long runs of them. */
const SPACE = String.raw`\s{0,40}`;
const VALUE = String.raw`[^\s"'$(]`;
const after = (sign: string, value: string): RegExp =>
  new RegExp(`(?<=${SECRET_FIELD}${SPACE}${sign})${value}`, "gim");

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
  // A value after a name like `token`. After a colon people also write sentences: there only a value that is quoted,
  // ends its line, has a digit or is very long.
  after(`(?:=${SPACE}["']?|:|:${SPACE}["'])`, `${VALUE}{8,}`),
  after(String.raw`:\s${SPACE}`, String.raw`${VALUE}{8,}(?=\s*(?:#|$))`),
  after(String.raw`:\s${SPACE}`, String.raw`(?:(?=${VALUE}*\d)${VALUE}{8,}|${VALUE}{20,})`),
];

/** Common values of settings, which people also write about. */
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
      (rest, secret) => withoutCutSecret(rest.replaceAll(secret, MARK), secret),
      text,
    );
    return SHAPES.reduce((rest, shape) => rest.replaceAll(shape, MARK), without);
  };
}

/** A text that was cut (it ends in the mark) may end in the first part of a secret. */
function withoutCutSecret(text: string, secret: string): string {
  if (!text.endsWith(MARK)) return text;
  const cut = text.slice(0, -MARK.length);
  for (let length = Math.min(secret.length - 1, cut.length); length >= SHORTEST; length--) {
    if (cut.endsWith(secret.slice(0, length))) return `${cut.slice(0, -length)}${MARK}`;
  }
  return text;
}

/** The values of variables whose names suggest a secret. */
export const secretsIn = (env: Environment): string[] =>
  Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && SECRET_NAME.test(name) ? [value] : [],
  );

/** All values of a file like `.env`: it is kept out of git for a reason. */
export const valuesIn = (text: string): string[] =>
  [
    ...text.matchAll(/^\s*(?:export\s+)?[A-Za-z_]\w*\s*=\s*["']?(?<value>[^"'\n]+?)["']?\s*$/gm),
  ].map(({ groups }) => groups?.["value"] ?? "");

/** Redacts the secrets of this environment, and all values in these files. */
export const redactorFor = (env: Environment, folder: string, files: readonly string[]): Redact =>
  newRedactor([
    ...secretsIn(env),
    ...files.flatMap((file) => valuesIn(textOr(join(folder, file)))),
  ]);

function textOr(file: string): string {
  try {
    return readRegularFile(file);
  } catch {
    return "";
  }
}
