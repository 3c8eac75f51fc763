// The claims on a task in order: `.claims/<task>.1`, `.claims/<task>.2`, … Each is a link to a claimer's file or, if
// empty, the end of the claim before it. The last one counts. The kernel lets exactly one process create a number, so the
// process that finds the last claim dead or ended and creates the next number is the only owner.

import { closeSync, existsSync, openSync, readdirSync, rmSync, statSync } from "node:fs";
import { diskError, errorCode, ifThere, readText } from "../../machine/files/files.ts";
import { parseClaimer, type ClaimerFile, type ClaimerRecord } from "./claimer-file.ts";
import type { ClaimObserver } from "./claim-observer.ts";
import { isPlainName } from "../../claude/tasks/file.ts";

/** Hidden, because Claude does not read hidden names. */
const claimsFolder = (list: string): string => `${list}/.claims`;
export const claimersFolder = (list: string): string => `${claimsFolder(list)}/cards`;

export const generationFile = (list: string, taskId: string, generation: number): string =>
  `${claimsFolder(list)}/${taskId}.${generation}`;

export interface Generation {
  readonly number: number;
  /** Undefined when it is the end of a claim. */
  readonly claimer: ClaimerRecord | undefined;
}

export function readGeneration(
  list: string,
  taskId: string,
  number: number,
): Generation | undefined {
  const text = ifThere(() => readText(generationFile(list, taskId, number)));
  return text === undefined ? undefined : { number, claimer: parseClaimer(text) };
}

export const generationExists = (list: string, taskId: string, generation: number): boolean =>
  existsSync(generationFile(list, taskId, generation));

/** Whether its owner is alive, as far as this observer can tell. */
export function isClaimAlive(
  list: string,
  taskId: string,
  { number, claimer: card }: Generation,
  observer: Pick<ClaimObserver, "isDead">,
): boolean {
  if (!card) return false;
  const file = generationFile(list, taskId, number);
  return !observer.isDead(card, () => ifThere(() => statSync(file).mtimeMs) ?? 0);
}

export interface NextGeneration {
  readonly number: number;
  /** The last one, as it was read. */
  readonly before: Generation | undefined;
}

/** Creates the next number. Exactly one process can, and only if `before` is still the last one. */
export function tryGeneration(
  list: string,
  card: ClaimerFile,
  taskId: string,
  { number, before }: NextGeneration,
): boolean {
  if (!card.linkTo(generationFile(list, taskId, number))) return false;
  // The claims of a completed task are deleted, and numbers start again.
  if (isUnchanged(list, taskId, before) && !generationExists(list, taskId, number + 1)) return true;
  endClaim(list, taskId, number);
  return false;
}

function isUnchanged(list: string, taskId: string, before: Generation | undefined): boolean {
  if (!before) return true;
  const now = readGeneration(list, taskId, before.number);
  return now !== undefined && now.claimer?.nonce === before.claimer?.nonce;
}

export const isNewest = (
  list: string,
  card: ClaimerFile,
  taskId: string,
  generation: number,
): boolean =>
  card.isAt(generationFile(list, taskId, generation)) &&
  !generationExists(list, taskId, generation + 1);

/** Creates the next number as an empty file, unless it exists. For the owner of the last one. */
export function endClaim(list: string, taskId: string, generation: number): void {
  const file = generationFile(list, taskId, generation + 1);
  try {
    closeSync(openSync(file, "wx"));
  } catch (error) {
    switch (errorCode(error)) {
      case "EEXIST":
        return;
      // All claims were deleted, this one too.
      case "ENOENT":
        return;
      // No space for another name.
      case "ENOSPC":
      case "EDQUOT":
        withdrawClaim(list, taskId, generation);
        return;
      default:
        throw diskError(error, file);
    }
  }
}

/**
 * Deletes the last claim, so that the one before it counts again. For its owner, who has not used it. A process that
 * builds on it meanwhile checks again and finds it gone.
 */
export const withdrawClaim = (list: string, taskId: string, generation: number): void =>
  rmSync(generationFile(list, taskId, generation), { force: true });

/** All numbers of all tasks, lowest first. */
export function readChains(list: string): Map<string, number[]> {
  const chains = new Map<string, number[]>();
  for (const name of ifThere(() => readdirSync(claimsFolder(list))) ?? []) {
    const { id = "", number } = /^(?<id>[^.]+)\.(?<number>\d+)$/.exec(name)?.groups ?? {};
    if (number === undefined || !isPlainName(id)) continue;
    const chain = chains.get(id);
    if (chain) chain.push(Number(number));
    else chains.set(id, [Number(number)]);
  }
  for (const chain of chains.values()) chain.sort((one, other) => one - other);
  return chains;
}
