// Ownership in files. See `ownership.ts` for the contract.
//
// Each name has numbered files, one per owner; the last one counts, and its number is the fence. A process owns number N if
// it linked its record to the name N, which the kernel allows to exactly one process and which makes the whole record
// visible at once. A name that is left is taken over by linking N+1. On release the file is emptied, never removed, so that
// numbers only grow. A process that acts on what it saw a while ago links a number that is too low, or one above a name that
// was released, forgotten or renewed meanwhile: it checks after linking, and withdraws.

import { rmSync } from "node:fs";
import type { NumberedFiles } from "./numbered-files.ts";
import type { Acquired, Lease, OwnerRecord } from "./ownership.ts";
import { readLast, readNumber, type Numbered, type ReadableOwners } from "./read-owner.ts";

/** The files of one folder, and how they are read. */
export interface OwnerFiles<R extends OwnerRecord> extends ReadableOwners<R>, NumberedFiles {}

/** A file with the record of one owner. */
export interface OwnFile<R extends OwnerRecord> {
  readonly record: R;
  /** Gives it this name. False when the name exists. */
  readonly linkTo: (path: string) => boolean;
  /** Whether that name is a name of this file. */
  readonly isAt: (path: string) => boolean;
  /** Shows others that the owner is alive. */
  readonly renew: (path: string) => void;
  /** Leaves an empty file under that name. */
  readonly empty: (path: string) => void;
}

/** Makes the file for an owner with this fence. */
export type NewOwnFile<R extends OwnerRecord> = (fence: number) => OwnFile<R>;

export interface TakeOptions {
  /** Asked when the name can be taken, before a fence is used. */
  readonly mayTake?: (() => Promise<boolean>) | undefined;
  /** The owner with this fence loses the name, even if it is alive. */
  readonly evenFrom?: number | undefined;
}

export function take<R extends OwnerRecord>(
  at: OwnerFiles<R>,
  name: string,
  newOwnFile: NewOwnFile<R>,
): Promise<Acquired<R>>;
/** Undefined when `mayTake` says no. */
export function take<R extends OwnerRecord>(
  at: OwnerFiles<R>,
  name: string,
  newOwnFile: NewOwnFile<R>,
  options: TakeOptions,
): Promise<Acquired<R> | undefined>;
export async function take<R extends OwnerRecord>(
  at: OwnerFiles<R>,
  name: string,
  newOwnFile: NewOwnFile<R>,
  { mayTake, evenFrom }: TakeOptions = {},
): Promise<Acquired<R> | undefined> {
  const isTaken = (one: Numbered<R>): one is Numbered<R> & { readonly record: R } =>
    one.record !== undefined &&
    one.number !== evenFrom &&
    at.isAlive(one.record, at.path(name, one.number));
  for (;;) {
    at.prepare(name);
    const last = readLast(at, name);
    if (isTaken(last)) return { heldBy: last.record };
    if (mayTake && !(await mayTake())) return undefined;
    const number = last.number + 1;
    const own = newOwnFile(number);
    if (!own.linkTo(at.path(name, number))) continue;
    const before = last.number === 0 ? last : readNumber(at, name, last.number);
    if (before && !isTaken(before) && at.isLast(name, number)) {
      at.tidy(name, number);
      return { lease: inHand(at, name, { number, own, tookOverFrom: before.record }) };
    }
    withdraw(at, name, { number, own });
  }
}

/** Gives up a number that its owner has not used. The one before it counts again, unless there is a higher one. */
function withdraw<R extends OwnerRecord>(
  at: OwnerFiles<R>,
  name: string,
  { number, own }: Pick<OwnedNumber<R>, "number" | "own">,
): void {
  if (at.isLast(name, number)) {
    rmSync(at.path(name, number), { force: true });
    return;
  }
  own.empty(at.path(name, number));
  at.tidy(name, at.last(name));
}

/** The last owner, and those before it that have died and were not released; oldest first. */
export function readOwners<R extends OwnerRecord>(at: OwnerFiles<R>, name: string): R[] {
  const numbers = Array.from({ length: at.last(name) }, (_, index) => index + 1);
  return numbers.flatMap((number) => readNumber(at, name, number)?.record ?? []);
}

interface OwnedNumber<R extends OwnerRecord> {
  readonly number: number;
  readonly own: OwnFile<R>;
  readonly tookOverFrom: R | undefined;
}

function inHand<R extends OwnerRecord>(
  at: OwnerFiles<R>,
  name: string,
  { number, own, tookOverFrom }: OwnedNumber<R>,
): Lease<R> {
  const path = at.path(name, number);
  const isMine = (): boolean => at.isLast(name, number) && own.isAt(path);
  return {
    name,
    fence: number,
    record: own.record,
    tookOverFrom,
    isMine: async () => isMine(),
    async renew() {
      if (!isMine()) return false;
      own.renew(path);
      // Another process may have counted this one as dead just before.
      return isMine();
    },
    async release() {
      if (isMine()) own.empty(path);
    },
  };
}
