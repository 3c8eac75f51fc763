// A lock's name identifies its owner: process, start time, boot, and machine or container. That is enough to recognise
// a dead owner, and no name is used twice.

import { statSync } from "node:fs";
import { ifThere } from "./files.ts";
import { startTimeOf, thisProcess } from "../processes/process-id.ts";

/** For owners whose process cannot be seen, in another container for example. */
const UNSEEN_OWNER_MS = 60_000;

export interface LockOwner {
  readonly pid: number;
  readonly startTime: string;
  readonly boot: string;
  readonly place: string;
}

let locksTaken = 0;
/** Distinguishes threads of one process. */
const thread = Math.random().toString(36).slice(2, 8);

export function newLockName(prefix: string): string {
  const { pid, startTime, boot, place } = ownIdentity();
  return `${prefix}${pid}.${startTime}.${boot}.${place}.${thread}${++locksTaken}.tmp`;
}

export function ownerOf(name: string): LockOwner | undefined {
  const [, , pid, startTime, boot, place] = name.split(".");
  if (startTime === undefined || boot === undefined || place === undefined) return undefined;
  return { pid: Number(pid), startTime, boot, place };
}

export function isAlive(owner: LockOwner, file: string): boolean {
  const here = ownIdentity();
  const isVisible = owner.place === here.place && owner.startTime !== "" && owner.boot !== "";
  if (isVisible) {
    return owner.boot === here.boot && inName(startTimeOf(owner.pid)) === owner.startTime;
  }
  const written = ifThere(() => statSync(file).mtimeMs) ?? 0;
  return Date.now() - written < UNSEEN_OWNER_MS;
}

let own: LockOwner | undefined;

function ownIdentity(): LockOwner {
  if (own) return own;
  const { pid, startTime, bootId, place } = thisProcess();
  own = {
    pid,
    startTime: inName(startTime),
    boot: inName(bootId).slice(0, 12),
    place: inName(place),
  };
  return own;
}

/** As a part of a file name, between dots. */
const inName = (text: string | undefined): string => text?.replaceAll(/[^A-Za-z0-9]/g, "") ?? "";
