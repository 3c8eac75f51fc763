// Apart from the schema of findings: a page in a browser shows them without loading a validator.

import type { Finding } from "./receipt.ts";

/** With its place, which is where someone has to look. */
export function findingText({ file, line, message }: Finding): string {
  if (file === undefined) return message;
  return `${quoted(file)}${line === undefined ? "" : `:${line}`}: ${message}`;
}

/** A byte of a name that is not UTF-8 is carried as a lone surrogate: `\udce9` is the byte `\xe9`. */
const quoted = (file: string): string =>
  JSON.stringify(file).replaceAll(/\\udc(?<byte>[89a-f][0-9a-f])/g, String.raw`\x$<byte>`);
