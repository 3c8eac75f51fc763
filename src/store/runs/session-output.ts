// The files that sessions print to. A worker deletes its own when it ends; a killed worker leaves it.

import { rmSync } from "node:fs";
import { basename, isAbsolute } from "node:path";
import { storyOfSession } from "../../story/definition/names.ts";
import type { Run } from "../../story/state/run.ts";

/** Deletes the outputs of ended runs. Their records stay. */
export function removeOutputs(runs: readonly Run[]): void {
  for (const run of runs) {
    if (run.outputFile !== undefined && isOwn(run)) rmSync(run.outputFile, { force: true });
  }
}

/** A record could name any file: only one named after the run's session is deleted. */
const isOwn = ({ story, session = "", outputFile = "" }: Run): boolean =>
  storyOfSession(session)?.storyId === story &&
  isAbsolute(outputFile) &&
  basename(outputFile) === `${session}.out`;
