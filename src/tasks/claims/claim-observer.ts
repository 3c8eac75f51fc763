// Whether a claimer lives. Where its process can be seen, that decides. Of one in another place (machine,
// container) only its signs of life are seen, stamped by a clock that may be wrong: so their times are
// never compared with ours. What counts is that they have not changed for so long on our own clock, which
// only goes forward.

import { livenessOf } from "../../machine/processes/process-id.ts";
import type { ClaimerRecord } from "./claimer-file.ts";

export interface ClaimObserver {
  readonly isDead: IsDead;
  /** The same, cheaper: who lived a moment ago still does. For those who ask often, and ask again. */
  readonly isDeadCached: IsDead;
}

/** `signOfLife` is the time on its card; it is asked for only when the process cannot be seen. */
export type IsDead = (card: ClaimerRecord, signOfLife: () => number) => boolean;

interface Heartbeat {
  readonly sign: number;
  readonly sinceMs: number;
}

/** A card may ask for patience, but not for ever. */
const MAX_TTL_MS = 60 * 60_000;

/** Eight processes that drain a list meet the same few claimers thousands of times a second. */
const ALIVE_CACHE_MS = 100;

/** It has to live as long as the longest patience: what it has not watched, it takes for alive. */
export function newClaimObserver(nowMs: () => number = () => performance.now()): ClaimObserver {
  const sightings = new Map<string, Heartbeat>();
  const alive = new Map<string, number>();
  const isDead: IsDead = (card, signOfLife) => {
    const life = livenessOf(card);
    if (life !== "unknown") return life === "dead";
    const sign = signOfLife();
    const now = nowMs();
    const last = sightings.get(card.nonce);
    if (last?.sign !== sign) {
      sightings.set(card.nonce, { sign, sinceMs: now });
      return false;
    }
    return now - last.sinceMs >= Math.min(card.ttlMs, MAX_TTL_MS);
  };
  return {
    isDead,
    isDeadCached(card, signOfLife) {
      const now = nowMs();
      if (now < (alive.get(card.nonce) ?? 0)) return false;
      const judged = isDead(card, signOfLife);
      if (!judged) alive.set(card.nonce, now + ALIVE_CACHE_MS);
      return judged;
    },
  };
}
