// Claims tasks of a list, for one worker or daemon. A claim is ownership of a task's id, as in `../ownership`. All claims
// of one claimer are links to one file, so that one heartbeat renews them all.

import { thisProcess, type ProcessId } from "../../machine/processes/process-id.ts";
import { take, type TakeOptions } from "../ownership/file-ownership.ts";
import type { Acquired, Lease, Ownership } from "../ownership/ownership.ts";
import { claimersFolder, claimFiles, listClaims, readClaim, requireTaskId } from "./claims.ts";
import { newClaimObserver, type ClaimObserver } from "./claim-observer.ts";
import { openClaimerFile, type ClaimerIdentity, type ClaimerRecord } from "./claimer-file.ts";

/** One worker or daemon, which claims tasks of one list in its name. */
export interface Claimer extends Ownership<ClaimerRecord, void> {
  readonly owner: string;
  readonly instance: string;
  readonly observer: ClaimObserver;
  /** Like `acquire`; undefined when `mayTake` says no. */
  readonly take: (
    taskId: string,
    options: ClaimTakeOptions,
  ) => Promise<Acquired<ClaimerRecord> | undefined>;
  /** A heartbeat for processes that cannot see this one; one for all claims. */
  readonly beat: () => Promise<void>;
  /** Deletes its file unless a task is still claimed with it. */
  readonly close: () => void;
}

export interface ClaimTakeOptions extends TakeOptions {
  /** A claimer that was alive a moment ago counts as alive, which is cheaper. For callers that retry. */
  readonly isRetried?: boolean | undefined;
}

export interface ClaimerOptions extends ClaimerIdentity {
  readonly observer?: ClaimObserver | undefined;
  /** Default: this process. */
  readonly self?: ProcessId | undefined;
}

export function openClaimer(list: string, request: ClaimerOptions): Claimer {
  const { observer = newClaimObserver(), self = thisProcess(), ...identity } = request;
  const { owner, instance } = identity;
  const claimed = new Set<string>();
  const path = `${claimersFolder(list)}/${instance}.${owner}`;
  const file = openClaimerFile(path, { ...identity, ...self });
  const files = claimFiles(list, observer);
  const cachedFiles = claimFiles(list, { isDead: observer.isDeadCached });
  const counted = (lease: Lease<ClaimerRecord>): Lease<ClaimerRecord> => {
    claimed.add(lease.name);
    const release = async (): Promise<void> => {
      await lease.release();
      claimed.delete(lease.name);
    };
    return { ...lease, release };
  };
  return {
    owner,
    instance,
    observer,
    take: async (taskId, { isRetried = false, ...options }) => {
      requireTaskId(taskId);
      const attempt = await take(isRetried ? cachedFiles : files, taskId, () => file, options);
      return attempt?.lease ? { lease: counted(attempt.lease) } : attempt;
    },
    acquire: async (taskId) => {
      requireTaskId(taskId);
      const { lease, heldBy } = await take(files, taskId, () => file);
      return lease ? { lease: counted(lease) } : { heldBy };
    },
    read: (taskId) => readClaim(list, taskId, observer),
    list: (onProblem) => listClaims(list, observer, onProblem),
    beat: async () => file.beat(),
    close: () => file.close({ isOver: claimed.size === 0 }),
  };
}
