// Ends checks and set-up commands that a killed gate left running. Only the owner of a story's lease runs its gate, so any
// process that carries the story's mark when the next owner takes the lease is a leftover.

import { createHash } from "node:crypto";
import { realpathSync } from "node:fs";
import { endMarkedProcesses, type ProcessMark } from "../machine/processes/process-tree.ts";

const JUDGING_MARK = "SAGA_JUDGING_ID";
const GRACE_MS = 2_000;

/** For the environment of everything that runs in a story's gate. */
export const judgingVariables = (project: string, storyId: string): Record<string, string> =>
  Object.fromEntries([judgingMark(project, storyId)]);

/** Call it with the story's lease, before running its gate. */
export const endJudging = (project: string, storyId: string): Promise<void> =>
  endMarkedProcesses(judgingMark(project, storyId), [], { graceMs: GRACE_MS });

/** Hashes the resolved path: the same mark for every spelling of it, without unusual characters. */
export function judgingMark(project: string, storyId: string): ProcessMark {
  const place = createHash("sha256").update(realpathSync.native(project)).digest("hex");
  return [JUDGING_MARK, `${storyId}.${place.slice(0, 16)}`];
}
