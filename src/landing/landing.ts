// What a lander needs to know of an entry, whatever it is: a story, an epic's branch or a task of the pool. Each kind
// knows how to read its entry again, how to judge it, and what its outcome means for it.

import type { Context } from "../context.ts";
import type { Conflict } from "../repo/compose/describe-conflict.ts";
import type { LandCandidate, LandEntry } from "../repo/compose/compose.ts";
import type { BusyCheckout } from "../repo/delivery/update-checkout.ts";
import type { Entry } from "../story/landing/entry.ts";
import type { Landed } from "../story/landing/landed.ts";
import type { Receipt } from "../story/receipts/receipt.ts";

export interface LandingContext extends Pick<
  Context,
  "store" | "settings" | "env" | "now" | "repository"
> {
  readonly stop?: AbortSignal | undefined;
  /** Progress for a waiting person. */
  readonly onStep?: ((about: string) => void) | undefined;
  readonly onWarning?: ((sentence: string) => void) | undefined;
}

export interface LaneContext extends LandingContext {
  readonly kinds: LandingKinds;
}

/** Outcomes are JSON: the process that waits for one may not be the one that lands. */
export type LandingKinds = Readonly<Record<Entry["kind"], LandingKind>>;

/**
 * Takes what the entry needs (the story's lease) and reads it again: it may have changed since it was put in the lane.
 * Whatever it throws becomes the outcome. An entry of another machine is prepared as far as this machine can judge it.
 */
export type LandingKind = (
  context: BatchContext,
  entry: Entry,
  /** Another machine has brought it into the target already. */
  landed?: Landed,
) => Promise<Preparation>;

export interface BatchContext extends LandingContext {
  /** The checkout that would have to be updated with the target, read once for all entries. */
  readonly busyCheckout: () => Promise<BusyCheckout | undefined>;
  /** What the remote has of the stories, read once for all entries. */
  readonly remoteRefs: () => Promise<ReadonlyMap<string, string>>;
}

export type Preparation =
  | { readonly kind: "ready"; readonly work: LandingWork }
  /** It cannot land, or has landed. */
  | { readonly kind: "settled"; readonly outcome: unknown }
  /** It can be tried again later. */
  | { readonly kind: "wait"; readonly why: string };

export interface LandingWork extends LandEntry {
  readonly entry: Entry;
  readonly checks: readonly string[];
  /** A person set a check aside for it, so the checks of a batch would say nothing about the others. */
  readonly landsAlone: boolean;
  /** Why these results of its checks are not good enough for it, as a sentence. Undefined if they are. */
  readonly whyNot: (checks: readonly Receipt[]) => Promise<string | undefined>;
  readonly updateCheckouts: boolean;
  /** The rules about its own changes. Undefined if they hold. */
  readonly judge: (candidate: LandCandidate<LandEntry>) => Promise<Refused | undefined>;
  /** Right before the target moves: whether it may still land. */
  readonly isStillWanted: () => Promise<boolean>;
  /** Each gives the outcome, after it has recorded what it means. */
  readonly landed: (commit: string) => Promise<unknown>;
  readonly conflicts: (conflict: Conflict) => Promise<unknown>;
  readonly refused: (why: Refused) => Promise<unknown>;
  readonly checkedOut: (busy: BusyCheckout & { readonly commit: string }) => Promise<unknown>;
  readonly moved: (why: string) => Promise<unknown>;
  readonly release: () => Promise<void>;
}

/** Why an entry does not land. */
export interface Refused {
  readonly commit: string;
  readonly reason: string;
  readonly receipts: readonly Receipt[];
  /** The target itself fails: the entry is not to blame. */
  readonly isTargetRed?: boolean | undefined;
  /** What landed before it and is part of the candidate that failed. */
  readonly before: readonly string[];
}
