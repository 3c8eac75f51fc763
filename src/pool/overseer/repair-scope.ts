// What a repair run may touch: the task files of one list and the context file, nothing else. It has
// no shell; whatever path it names is followed to the place it leads to before it is judged.

import { resolve } from "node:path";
import { MAX_TASK_BYTES } from "../../claude/tasks/file.ts";
import { ifThere } from "../../machine/files/files.ts";
import { readRegularFile } from "../../machine/files/bounded-file.ts";
import { patternsIn, startsOf, textOf } from "../../agent/scope/tool-paths.ts";
import { follow, readingsOf } from "../../agent/scope/resolve.ts";
import type { ScopedCall, ScopeVerdict } from "../../agent/scope/scope.ts";

export interface RepairPlace {
  /** Real paths, without links. */
  readonly list: string;
  readonly contextFile: string;
}

export const REPAIR_TOOLS: readonly string[] = ["Read", "Edit", "Write", "Glob", "Grep"];

/** Claude Code sees no other file as a task; claims and locks are not for it either. */
const TASK_FILE = /^[A-Za-z0-9_-]+\.json$/;

export function judgeRepairCall(place: RepairPlace, call: ScopedCall): ScopeVerdict {
  const { tool, input, cwd } = call;
  switch (tool) {
    case "Read":
    case "Edit":
    case "Write": {
      const path = textOf(input, "file_path");
      const isAllowed =
        path !== undefined && areAll(cwd, path, (real) => isRepairable(place, real));
      if (!isAllowed) return refused(tool, path);
      return tool !== "Read" && completes(resolve(cwd, path.trim()), input)
        ? NO_COMPLETION
        : { isAllowed };
    }
    case "Glob":
    case "Grep":
      return isSearchInside(place, call)
        ? { isAllowed: true }
        : refused(tool, textOf(input, "path"));
    default:
      return refused(tool, undefined);
  }
}

function isRepairable({ list, contextFile }: RepairPlace, real: string): boolean {
  if (real === contextFile) return true;
  return real.startsWith(`${list}/`) && TASK_FILE.test(real.slice(list.length + 1));
}

const NO_COMPLETION: ScopeVerdict = {
  isAllowed: false,
  reason: "A repair completes no task: only work that is merged does. Leave its status as it is.",
};

const IS_COMPLETED = /"status"\s*:\s*"completed"/;

/** Whether the file would say so afterwards and does not say so now. What was missing may come back as it was. */
function completes(file: string, input: unknown): boolean {
  const before = ifThere(() => readRegularFile(file, MAX_TASK_BYTES));
  if (before === undefined || IS_COMPLETED.test(before)) return false;
  const [old, next] = [textOf(input, "old_string"), textOf(input, "new_string") ?? ""];
  const after = old === undefined ? textOf(input, "content") : before.replaceAll(old, () => next);
  return IS_COMPLETED.test(after ?? "");
}

/** Patterns begin somewhere as well, and `..` in one leads out again. */
function isSearchInside({ list }: RepairPlace, { tool, input, cwd }: ScopedCall): boolean {
  const isInList = (real: string): boolean => real === list || real.startsWith(`${list}/`);
  const folder = textOf(input, "path") ?? cwd;
  if (!areAll(cwd, folder, isInList)) return false;
  return patternsIn(tool, input).every((pattern) =>
    startsOf(pattern)?.every((start) => areAll(folder, start, isInList)),
  );
}

/** Every place that a program may take the text for. */
function areAll(cwd: string, path: string, isFine: (real: string) => boolean): boolean {
  const readings = readingsOf(cwd, path);
  if ("because" in readings) return false;
  return readings.every((reading) => {
    const place = follow(reading, undefined);
    return !("because" in place) && isFine(place.path);
  });
}

const refused = (tool: string, path: string | undefined): ScopeVerdict => ({
  isAllowed: false,
  reason: `${tool} may not be used ${path === undefined ? "here" : `on ${JSON.stringify(path)}`}: this run repairs the task files of one list and the context file, and touches nothing else.`,
});
