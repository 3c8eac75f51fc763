// Whether a claimer is alive. If its process is visible, that decides. A claimer in another place (machine, container)
// is judged by its heartbeats. They carry the time of a clock that may be wrong, so their times are never compared with
// this machine's: a claimer is dead when its heartbeat has not changed for long enough on our own monotonic clock.

import { livenessOf } from "../../machine/processes/process-id.ts";
import type { ClaimerRecord } from "./claimer-file.ts";

export interface ClaimObserver {
  readonly isDead: IsDead;
  /** Cheaper: a claimer that was alive a moment ago counts as alive. For callers that retry. */
  readonly isDeadCached: IsDead;
}

/** `heartbeatMs`: the time of its file. Called only when the process is not visible. */
export type IsDead = (claimer: ClaimerRecord, heartbeatMs: () => number) => boolean;

interface Heartbeat {
  readonly heartbeatMs: number;
  readonly seenAtMs: number;
}

/** The upper bound for a claimer's own TTL. */
const MAX_TTL_MS = 60 * 60_000;

/** Eight processes that drain a list meet the same few claimers thousands of times a second. */
const ALIVE_CACHE_MS = 100;

/** It must exist for longer than the longest TTL: a claimer that it has just seen counts as alive. */
export function newClaimObserver(nowMs: () => number = () => performance.now()): ClaimObserver {
  const heartbeats = new Map<string, Heartbeat>();
  const aliveUntil = new Map<string, number>();
  const isDead: IsDead = (claimer, readHeartbeat) => {
    const life = livenessOf(claimer);
    if (life !== "unknown") return life === "dead";
    const heartbeatMs = readHeartbeat();
    const now = nowMs();
    const last = heartbeats.get(claimer.nonce);
    if (last?.heartbeatMs !== heartbeatMs) {
      heartbeats.set(claimer.nonce, { heartbeatMs, seenAtMs: now });
      return false;
    }
    return now - last.seenAtMs >= Math.min(claimer.ttlMs, MAX_TTL_MS);
  };
  return {
    isDead,
    isDeadCached(claimer, readHeartbeat) {
      const now = nowMs();
      if (now < (aliveUntil.get(claimer.nonce) ?? 0)) return false;
      const result = isDead(claimer, readHeartbeat);
      if (!result) aliveUntil.set(claimer.nonce, now + ALIVE_CACHE_MS);
      return result;
    },
  };
}
