// Dead workers of another repository that shares the list. Whether their work had arrived can only be seen
// there; so they are left to the pool there for a while, and a person is told how to decide it.

import { existsSync } from "node:fs";
import type { ClaimerRecord } from "../../tasks/claims/claimer-file.ts";
import type { DeadClaim } from "../../tasks/claims/dead-claims.ts";
import { thisProcess } from "../../machine/processes/process-id.ts";
import type { Repository } from "../../repo/repository.ts";

export interface ForeignClaims {
  readonly isLeftAlone: (dead: Pick<DeadClaim, "taskId" | "last">) => boolean;
}

export interface ForeignHands {
  readonly repository: Pick<Repository, "commonDir">;
  readonly uptimeMs: () => number;
  readonly say: (sentence: string) => void;
}

/** Time enough to start a pool there again. */
const PATIENCE_MS = 10 * 60_000;

export function newForeignClaims({ repository, uptimeMs, say }: ForeignHands): ForeignClaims {
  const seenAtMs = new Map<string, number>();
  return {
    isLeftAlone({ taskId, last }) {
      const card = last?.claimer;
      if (card === undefined || !isElsewhere(card, repository.commonDir)) return false;
      const claim = `${taskId}/${card.nonce}`;
      const sinceMs = seenAtMs.get(claim);
      if (sinceMs !== undefined) return uptimeMs() - sinceMs < PATIENCE_MS;
      seenAtMs.set(claim, uptimeMs());
      say(
        `${taskId} is left to the pool of ${card.repository}, whose worker ${card.owner} has died; \`saga task release ${taskId}\` takes it`,
      );
      return true;
    },
  };
}

/** One that is gone, or on another machine, cannot be asked. */
const isElsewhere = ({ repository, place }: ClaimerRecord, commonDir: string): boolean =>
  repository !== undefined &&
  repository !== commonDir &&
  place === thisProcess().place &&
  existsSync(repository);
