// Carries bytes that are not UTF-8 through strings without loss: git and the disk name files by bytes, and real
// repositories have names in latin-1. Each invalid byte becomes a lone surrogate (U+DC80 to U+DCFF, like Python's
// `surrogateescape`), and the same byte again on its way to git or the disk.

import { isUtf8 } from "node:buffer";
import { readdirSync } from "node:fs";
import { shellQuote } from "../../text/shell-quote.ts";

export function decodeBytes(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString("utf8");
  const parts: string[] = [];
  let validFrom = 0;
  for (let at = 0; at < bytes.length;) {
    const length = sequenceLength(bytes, at);
    if (length > 0) {
      at += length;
      continue;
    }
    parts.push(
      bytes.toString("utf8", validFrom, at),
      String.fromCharCode(ESCAPE + (bytes[at] ?? 0)),
    );
    validFrom = ++at;
  }
  parts.push(bytes.toString("utf8", validFrom));
  return parts.join("");
}

export const encodeBytes = (text: string): Buffer | string =>
  hasRawBytes(text)
    ? Buffer.concat(
        text
          .split(SPLIT)
          .map((part) =>
            isEscaped(part) ? Buffer.of(part.charCodeAt(0) - ESCAPE) : Buffer.from(part),
          ),
      )
    : text;

/** A path for the functions of `node:fs`. */
export const diskPath = (path: string): Buffer | string => encodeBytes(path);

export const listRawNames = (folder: string): string[] =>
  readdirSync(diskPath(folder), { encoding: "buffer" }).map(decodeBytes);

export const hasRawBytes = (text: string): boolean => RAW.test(text);

/** For people: as git prints such a name. */
export const shownPath = (path: string): string =>
  path.replaceAll(RAW_EACH, (one) => `\\${octal(one)}`);

/** Node only takes text as arguments: a shell makes the raw bytes from octal numbers. */
export function rawCommand(program: string, args: readonly string[]): [string, readonly string[]] {
  if (!args.some(hasRawBytes)) return [program, args];
  const words = args.map((arg) =>
    arg
      .split(SPLIT)
      .map((part) => (isEscaped(part) ? `"$(printf '\\${octal(part)}')"` : shellQuote(part)))
      .join(""),
  );
  return ["sh", ["-c", `exec "$0" ${words.join(" ")}`, program]];
}

const isEscaped = (part: string): boolean => part.length === 1 && hasRawBytes(part);
const octal = (escaped: string): string => (escaped.charCodeAt(0) - ESCAPE).toString(8);

const ESCAPE = 0xdc00;
const RAW = /[\uDC80-\uDCFF]/u;
const RAW_EACH = /[\uDC80-\uDCFF]/gu;
const SPLIT = /([\uDC80-\uDCFF])/u;

/** The length of the valid sequence at this offset; 0 if there is none. */
function sequenceLength(bytes: Buffer, at: number): number {
  const first = bytes[at] ?? 0;
  if (first < 0x80) return 1;
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  return isUtf8(bytes.subarray(at, at + length)) && at + length <= bytes.length ? length : 0;
}
