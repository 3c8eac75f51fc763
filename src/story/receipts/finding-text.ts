// Not in receipt.ts, because the page shows findings without loading zod.

import type { Finding } from "./receipt.ts";

/** `"src/a.ts":3: message` */
export function findingText({ file, line, message }: Finding): string {
  if (file === undefined) return message;
  return `${quoted(file)}${line === undefined ? "" : `:${line}`}: ${message}`;
}

/** A byte that is not UTF-8 is represented by a lone surrogate: `\udce9` is the byte `\xe9`. */
const quoted = (file: string): string =>
  JSON.stringify(file).replaceAll(/\\udc(?<byte>[89a-f][0-9a-f])/g, String.raw`\x$<byte>`);
