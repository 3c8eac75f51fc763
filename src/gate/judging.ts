// What a killed command has left of its judging: checks, and the set-up before them, that go on without
// anyone who waits for them. Whoever judges a story has claimed it, so that whatever carries its mark when
// the next one claims it belongs to nobody.

import { createHash } from "node:crypto";
import { realpathSync } from "node:fs";
import { endMarkedProcesses, type ProcessMark } from "../machine/processes/process-tree.ts";

const JUDGING_MARK = "SAGA_JUDGING_ID";
const GRACE_MS = 2_000;

/** For the environment of everything that is run to judge a story. */
export const judgingVariables = (project: string, storyId: string): Record<string, string> =>
  Object.fromEntries([judgingMark(project, storyId)]);

/** By whoever has the story's claim, before they judge it themselves. */
export const endJudging = (project: string, storyId: string): Promise<void> =>
  endMarkedProcesses(judgingMark(project, storyId), [], { graceMs: GRACE_MS });

/** The same for every command, whichever way leads to the project, and without what its path may hold. */
export function judgingMark(project: string, storyId: string): ProcessMark {
  const place = createHash("sha256").update(realpathSync.native(project)).digest("hex");
  return [JUDGING_MARK, `${storyId}.${place.slice(0, 16)}`];
}
