// The costs of all runs of a project, also of those that were deleted since. For `saga cost`, the budgets and the page.

import { join } from "node:path";
import { listFolder } from "../../machine/files/files.ts";
import { isPoolName, idProblem } from "../../story/definition/names.ts";
import { costOf, type RunCost } from "../../story/money/spending.ts";
import type { Run } from "../../story/state/run.ts";
import { layoutOf, runsFolder } from "../project/layout.ts";
import { listRunsSince } from "../runs/runs.ts";

/** `sinceMs`: earlier runs may be left out. `epicOf`: the epic of a story. */
export const readCosts = (
  project: string,
  { sinceMs = 0, epicOf }: { sinceMs?: number; epicOf?: (story: string) => string | undefined },
): RunCost[] => readRunsSince(project, sinceMs).map((run) => costOf(run, epicOf?.(run.story)));

/** A story whose records cannot be read hides no other. */
export function readRunsSince(project: string, sinceMs: number): Run[] {
  const at = layoutOf(project);
  return listFolder(join(runsFolder(at))).flatMap(({ name }) => {
    if (!isPoolName(name) && idProblem("story", name) !== undefined) return [];
    try {
      return listRunsSince(at, name, sinceMs);
    } catch {
      return [];
    }
  });
}
