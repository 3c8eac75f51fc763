// The files of claims on the tasks of a list: `.claims/<task>.<number>`, one per claim; the last one counts. The folder is
// hidden, because Claude does not read hidden names. A claim that was released is empty.

import { linkSync, statSync } from "node:fs";
import { SagaError } from "../../errors.ts";
import { errorCode, ifThere } from "../../machine/files/files.ts";
import { fileIn, unreadable } from "../../machine/files/unreadable.ts";
import { readOwners, type OwnerFiles } from "../ownership/file-ownership.ts";
import { readOwned } from "../ownership/read-owner.ts";
import { flatNumbers } from "../ownership/numbered-files.ts";
import type { OnOwnershipProblem, Owned } from "../ownership/ownership.ts";
import type { ClaimObserver } from "./claim-observer.ts";
import { parseClaimer, type ClaimerRecord } from "./claimer-file.ts";

/** The last claim on a task that was not released, and whether its claimer is alive. */
export type ClaimState = Owned<ClaimerRecord>;

type Judge = Pick<ClaimObserver, "isDead">;

const claimsFolder = (list: string): string => `${list}/.claims`;
export const claimersFolder = (list: string): string => `${claimsFolder(list)}/cards`;
export const claimNumbers = (list: string): ReturnType<typeof flatNumbers> =>
  flatNumbers(claimsFolder(list));

export const claimFiles = (list: string, { isDead }: Judge): OwnerFiles<ClaimerRecord> => ({
  ...claimNumbers(list),
  parse: parseClaimer,
  isAlive: (claimer, file) => !isDead(claimer, () => heartbeatOf(file)),
});

/** It becomes part of a file's name, before the dot. */
export function requireTaskId(taskId: string): void {
  if (/^[\w-]+$/.test(taskId)) return;
  throw new SagaError("bad-id", `${JSON.stringify(taskId)} is not the id of a task.`);
}

export const heartbeatOf = (file: string): number => ifThere(() => statSync(file).mtimeMs) ?? 0;

export async function readClaim(
  list: string,
  taskId: string,
  observer: Judge,
): Promise<ClaimState | undefined> {
  requireTaskId(taskId);
  return readOwned(claimFiles(list, observer), taskId);
}

export async function listClaims(
  list: string,
  observer: Judge,
  onProblem?: OnOwnershipProblem,
): Promise<ClaimState[]> {
  const claims = claimFiles(list, observer);
  return claims.names().flatMap((taskId) => {
    try {
      return readOwned(claims, taskId) ?? [];
    } catch (error) {
      if (!onProblem) throw error;
      onProblem(unreadable(fileIn(error) ?? claims.path(taskId, 1), error), taskId);
      return [];
    }
  });
}

/** The names of all that have claimed the task and did not release it. */
export const claimantsOf = (list: string, taskId: string, observer: Judge): Set<string> =>
  new Set(readOwners(claimFiles(list, observer), taskId).map(({ owner }) => owner));

/** Lets a dead claimer's claim count again, as the claim after that of a process that took it over and released it. */
export function leaveAgain(list: string, taskId: string, dead: number, released: number): void {
  const { path } = claimNumbers(list);
  try {
    linkSync(path(taskId, dead), path(taskId, released + 1));
  } catch (error) {
    // Another process has claimed the task, or all claims on it were deleted: then nothing is left to do. On a full disk
    // the dead claimer is recognised by the owner in the task.
    if (!["EEXIST", "ENOENT", "ENOSPC", "EDQUOT"].includes(errorCode(error) ?? "")) throw error;
  }
}
