// Deletes the files that claims leave behind. Which tasks no longer need theirs is decided in `tasks/claims`.

import { readdirSync, rmSync } from "node:fs";
import { ifThere, readText } from "../../machine/files/files.ts";
import { removeStaleFiles } from "../../machine/files/stale-files.ts";
import { claimersFolder, claimNumbers, heartbeatOf } from "./claims.ts";
import type { ClaimObserver } from "./claim-observer.ts";
import { parseClaimer, TEMPORARY } from "./claimer-file.ts";

/** The numbers of all claims, by task. */
export const claimsByTask = (list: string): ReadonlyMap<string, readonly number[]> =>
  claimNumbers(list).all();

/** Lowest first: after a crash the last one, which is dead or released, still counts. */
export function forgetClaims(list: string, taskId: string, numbers: readonly number[]): void {
  const { path } = claimNumbers(list);
  for (const number of numbers) rmSync(path(taskId, number), { force: true });
}

export function forgetDeadClaimers(list: string, observer: ClaimObserver): void {
  const folder = claimersFolder(list);
  for (const name of ifThere(() => readdirSync(folder)) ?? []) {
    const path = `${folder}/${name}`;
    const claimer = parseClaimer(ifThere(() => readText(path)) ?? "");
    if (claimer && observer.isDead(claimer, () => heartbeatOf(path))) rmSync(path, { force: true });
  }
  removeStaleFiles(folder, new RegExp(`\\${TEMPORARY}$`));
}
