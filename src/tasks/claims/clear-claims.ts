// Deletes what claims leave behind.

import { readdirSync, rmSync, statSync } from "node:fs";
import { ifThere, readText } from "../../machine/files/files.ts";
import { isPlainName, readTaskFile, taskFileName } from "../../claude/tasks/file.ts";
import { withTaskLock } from "../../claude/tasks/lock.ts";
import { claimersFolder, claimNumbers, heartbeatOf, readClaim } from "./claim-files.ts";
import type { ClaimObserver } from "./claim-observer.ts";
import { parseClaimer, TEMPORARY } from "./claimer-file.ts";

/** Temporary files are renamed within milliseconds; after an hour their writer is gone. */
const STALE_FILE_MS = 60 * 60_000;

/**
 * Deletes claims on completed and deleted tasks, the files of dead claimers, and stale temporary files. Safe while others
 * claim: a claimer reads the task again under Claude's lock.
 */
export async function clearClaims(list: string, observer: ClaimObserver): Promise<void> {
  for (const [taskId, numbers] of claimNumbers(list).all()) {
    if (!isPlainName(taskId)) continue;
    if ((await readClaim(list, taskId, observer))?.life === "alive") continue;
    const file = await readTaskFile(list, taskId);
    if (file.kind === "gone") forget(list, taskId, numbers);
    if (file.kind !== "task" || file.task.status !== "completed") continue;
    await withTaskLock(`${list}/${taskFileName(taskId)}`, async () => {
      const now = await readTaskFile(list, taskId);
      if (now.kind === "task" && now.task.status === "completed") forget(list, taskId, numbers);
    });
  }
  for (const name of namesIn(claimersFolder(list))) {
    const path = `${claimersFolder(list)}/${name}`;
    const claimer = parseClaimer(ifThere(() => readText(path)) ?? "");
    if (claimer && observer.isDead(claimer, () => heartbeatOf(path))) rmSync(path, { force: true });
  }
  removeStale(list, /^\..*\.new$/);
  removeStale(claimersFolder(list), new RegExp(`\\${TEMPORARY}$`));
}

/** Lowest first: after a crash the last one, which is dead or released, still counts. */
function forget(list: string, taskId: string, numbers: readonly number[]): void {
  const { path } = claimNumbers(list);
  for (const number of numbers) rmSync(path(taskId, number), { force: true });
}

function removeStale(folder: string, temporary: RegExp): void {
  for (const name of namesIn(folder)) {
    if (!temporary.test(name)) continue;
    const path = `${folder}/${name}`;
    const stat = ifThere(() => statSync(path));
    if (stat && Date.now() - stat.mtimeMs > STALE_FILE_MS) rmSync(path, { force: true });
  }
}

const namesIn = (folder: string): string[] => ifThere(() => readdirSync(folder)) ?? [];
