// Deletes what claims leave behind.

import { removeStaleFiles } from "../../machine/files/stale-files.ts";
import { isPlainName, readTaskFile, taskFileName } from "../../claude/tasks/file.ts";
import { withTaskLock } from "../../claude/tasks/lock.ts";
import { readClaim } from "../../store/claims/claims.ts";
import type { ClaimObserver } from "../../store/claims/claim-observer.ts";
import { claimsByTask, forgetClaims, forgetDeadClaimers } from "../../store/claims/clear-files.ts";

/**
 * Deletes claims on completed and deleted tasks, the files of dead claimers, and stale temporary files. Safe while others
 * claim: a claimer reads the task again under Claude's lock.
 */
export async function clearClaims(list: string, observer: ClaimObserver): Promise<void> {
  for (const [taskId, numbers] of claimsByTask(list)) {
    if (!isPlainName(taskId)) continue;
    if ((await readClaim(list, taskId, observer))?.life === "alive") continue;
    const file = await readTaskFile(list, taskId);
    if (file.kind === "gone") forgetClaims(list, taskId, numbers);
    if (file.kind !== "task" || file.task.status !== "completed") continue;
    await withTaskLock(`${list}/${taskFileName(taskId)}`, async () => {
      const now = await readTaskFile(list, taskId);
      if (now.kind === "task" && now.task.status === "completed") {
        forgetClaims(list, taskId, numbers);
      }
    });
  }
  forgetDeadClaimers(list, observer);
  removeStaleFiles(list, /^\..*\.new$/);
}
