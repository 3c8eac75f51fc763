// One owner at a time: the contract of everything that several processes want and only one may have.
//
// What can be owned has a **name**: a story, an epic, the turn to merge, the slot of a worker, a task of a pool's list. A
// name is in one of three states:
//
//   free   it was never owned, or its last owner released it
//   held   its last owner is alive
//   left   its last owner died, or stopped renewing, without releasing it
//
//   free ── acquire ──► held ── release ──► free
//   held ── the owner dies, or does not renew for its ttl ──► left ── acquire ──► held, by the next owner
//
// - Of all that ask at the same time, exactly one gets a name that is free or left. The others learn who has it. A name
//   that is held is never taken.
// - Each owner gets a **fence**: a number that is higher than those of all owners before it and is never given out again,
//   unless what had the name is gone for good and the name is forgotten. Whatever an owner writes elsewhere can carry it, so
//   that a late write of an earlier owner is recognised.
// - An owner is **alive** while it renews in time. An engine that can see the owner itself decides by that instead: then a
//   living owner is never counted as dead, however late it renews, and a dead one is at once. An engine without a
//   common clock measures the ttl by its own, from the first time it has seen the last renewal.
// - An owner that was counted as dead and comes back has lost: its `renew` and `isMine` answer false, and its `release`
//   changes nothing.
// - The next owner of a name that was left learns who left it: it may have something to finish or to clean up.
// - A name that its owner released, and the record of an owner, are seen whole or not at all.
// - An engine that cannot be reached, or has no space, fails with an error. That never means that a name is free, and never
//   that it is lost.
//
// `test/support/ownership-contract.ts` holds an engine to this. All methods are asynchronous, so that an engine may be a database.

import type { Problem } from "../../errors.ts";
import type { ProcessId } from "../../machine/processes/process-id.ts";

/** What an owner says about itself when it acquires a name. */
export interface OwnerRecord extends ProcessId {
  /** The owner's name, for people. */
  readonly owner: string;
}

/** A name that is held or left. */
export interface Owned<R extends OwnerRecord = OwnerRecord> {
  readonly name: string;
  readonly fence: number;
  readonly record: R;
  readonly life: "alive" | "dead";
}

/** A name in the hands of this process, which must release it. */
export interface Lease<R extends OwnerRecord = OwnerRecord> {
  readonly name: string;
  readonly fence: number;
  readonly record: R;
  /** The dead owner it was taken over from: this process now finishes that owner's work. */
  readonly tookOverFrom?: R | undefined;
  /** False when another owner has taken it over. */
  readonly isMine: () => Promise<boolean>;
  /** Extends the expiry. False when another owner has taken it over. */
  readonly renew: () => Promise<boolean>;
  readonly release: () => Promise<void>;
}

export type Acquired<R extends OwnerRecord = OwnerRecord> =
  | { readonly lease: Lease<R>; readonly heldBy?: never }
  | { readonly heldBy: R; readonly lease?: never };

export type OnOwnershipProblem = (problem: Problem, name: string) => void;

export interface Ownership<R extends OwnerRecord, Request> {
  readonly acquire: (name: string, request: Request) => Promise<Acquired<R>>;
  /** Undefined when the name is free. */
  readonly read: (name: string) => Promise<Owned<R> | undefined>;
  /** All names that are held or left. With `onProblem`, an unreadable one is reported there; without it, it is an error. */
  readonly list: (onProblem?: OnOwnershipProblem) => Promise<readonly Owned<R>[]>;
}
