// Reads who owns a name from its files. See `file-ownership.ts` for what they mean. Apart from it, because hook scripts
// read leases too, and should stay small.

import { ifThere, readText } from "../../machine/files/files.ts";
import type { Owned, OwnerRecord } from "./ownership.ts";
import type { NumberPaths } from "./number-paths.ts";

/** Files that can be read, and how. */
export interface ReadableOwners<R extends OwnerRecord> extends NumberPaths {
  /** Undefined for a text that is not a record: an empty one, or one that a power cut or another program has damaged. */
  readonly parse: (text: string) => R | undefined;
  /** Whether the owner whose record is in that file lives. */
  readonly isAlive: (record: R, file: string) => boolean;
}

export interface Numbered<R> {
  readonly number: number;
  /** Undefined when it is free. */
  readonly record?: R | undefined;
}

export function readOwned<R extends OwnerRecord>(
  at: ReadableOwners<R>,
  name: string,
): Owned<R> | undefined {
  const { record, number: fence } = readLast(at, name);
  return (
    record && {
      name,
      fence,
      record,
      life: at.isAlive(record, at.path(name, fence)) ? "alive" : "dead",
    }
  );
}

export function readLast<R extends OwnerRecord>(at: ReadableOwners<R>, name: string): Numbered<R> {
  for (;;) {
    const number = at.last(name);
    const found = number ? readNumber(at, name, number) : { number };
    // Otherwise it was removed meanwhile: a higher one has replaced it, or the name was forgotten.
    if (found) return found;
  }
}

export function readNumber<R extends OwnerRecord>(
  { path, parse }: ReadableOwners<R>,
  name: string,
  number: number,
): Numbered<R> | undefined {
  const text = ifThere(() => readText(path(name, number)));
  return text === undefined ? text : { number, record: parse(text) };
}
