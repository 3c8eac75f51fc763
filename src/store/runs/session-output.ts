// The files that sessions print into. A worker removes its own when it ends; one that was killed could not.

import { rmSync } from "node:fs";
import { basename, isAbsolute } from "node:path";
import { storyOfSession } from "../../story/definition/names.ts";
import type { Run } from "../../story/state/run.ts";

/** Of runs that are over. Their records stay. */
export function removeOutputs(runs: readonly Run[]): void {
  for (const run of runs) {
    if (run.outputFile !== undefined && isOwn(run)) rmSync(run.outputFile, { force: true });
  }
}

/** A record could name any file: only one that is named after the run's own session is removed. */
const isOwn = ({ story, session = "", outputFile = "" }: Run): boolean =>
  storyOfSession(session)?.storyId === story &&
  isAbsolute(outputFile) &&
  basename(outputFile) === `${session}.out`;
