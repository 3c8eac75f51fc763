// Dead workers of another repository that shares the list. Only that repository shows whether their work was merged, so
// their tasks are left to its pool for a while, and a person is told how to take them.

import { existsSync } from "node:fs";
import type { ClaimerRecord } from "../../tasks/claims/claimer-file.ts";
import type { DeadClaim } from "../../tasks/claims/dead-claims.ts";
import { thisProcess } from "../../machine/processes/process-id.ts";
import type { Repository } from "../../repo/repository.ts";

export interface ForeignClaims {
  readonly isLeftAlone: (dead: Pick<DeadClaim, "taskId" | "last">) => boolean;
}

export interface ForeignClaimsContext {
  readonly repository: Pick<Repository, "commonDir">;
  readonly uptimeMs: () => number;
  readonly logLine: (sentence: string) => void;
}

/** Long enough to restart the other pool. */
const WAIT_MS = 10 * 60_000;

export function newForeignClaims({
  repository,
  uptimeMs,
  logLine,
}: ForeignClaimsContext): ForeignClaims {
  const seenAtMs = new Map<string, number>();
  return {
    isLeftAlone({ taskId, last }) {
      const card = last?.record;
      if (card === undefined || !isElsewhere(card, repository.commonDir)) return false;
      const claim = `${taskId}/${card.nonce}`;
      const sinceMs = seenAtMs.get(claim);
      if (sinceMs !== undefined) return uptimeMs() - sinceMs < WAIT_MS;
      seenAtMs.set(claim, uptimeMs());
      logLine(
        `task ${taskId} is left to the pool of ${card.repository}, whose worker ${card.owner} died. To take it over: \`saga task release ${taskId}\``,
      );
      return true;
    },
  };
}

/** A repository that does not exist, or is on another machine, cannot recover its tasks. */
const isElsewhere = ({ repository, place }: ClaimerRecord, commonDir: string): boolean =>
  repository !== undefined &&
  repository !== commonDir &&
  place === thisProcess().place &&
  existsSync(repository);
