// The leases of a project: on stories, epics, the turn to merge, worker slots and the dashboard. `lease-names.ts` has the
// names, `../ownership/ownership.ts` the contract.

import type { Owned, OwnerRecord, Ownership } from "../ownership/ownership.ts";
import type { LeasePurpose } from "./lease-purpose.ts";

export interface LeaseRecord extends OwnerRecord {
  readonly purpose: LeasePurpose;
  /** The name of the owner's machine in the fleet. */
  readonly machine?: string | undefined;
  readonly takenAt: string;
  readonly expiresAt: string;
}

export type LeaseState = Owned<LeaseRecord>;

export interface LeaseRequest {
  /** The owner's name, for people. */
  readonly owner: string;
  /** Default: `work`. */
  readonly purpose?: LeasePurpose | undefined;
  readonly ttlMs: number;
}

export interface Leases extends Ownership<LeaseRecord, LeaseRequest> {
  /** For readers of many stories, which cannot wait for each. */
  readonly look: () => Promise<LeaseLook>;
  /**
   * Frees what the owner with this fence left, before its ttl is over: for a caller that knows that the owner is dead. An
   * engine that sees its owners has no need for it.
   */
  readonly expire?: (name: string, fence: number) => Promise<void>;
  /** The next owner gets a higher fence than this: for an engine that was created again. */
  readonly raiseFence?: (name: string, fence: number) => Promise<void>;
}

/** Like `read`, but it answers at once: with the state at the time of the look, or later. */
export type LeaseLook = (name: string) => LeaseState | undefined;
