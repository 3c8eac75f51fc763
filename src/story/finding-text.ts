// Apart from the schema of findings: a page in a browser shows them without loading a validator.

import type { Finding } from "./receipt.ts";

/** With its place, which is where someone has to look. */
export function findingText({ file, line, message }: Finding): string {
  if (file === undefined) return message;
  return `${JSON.stringify(file)}${line === undefined ? "" : `:${line}`}: ${message}`;
}
