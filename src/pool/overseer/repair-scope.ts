// What a repair run may access: the task files of one list and the context file, nothing else. It has no shell; links in
// paths are followed before a path is judged.

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

/** Claude Code ignores other files; claims and locks are excluded too. */
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
  reason: "A repair may not complete a task: only merged work does. Leave its status unchanged.",
};

const IS_COMPLETED = /"status"\s*:\s*"completed"/;

/** Whether the change would set the status to completed. A missing file may be restored with any status. */
function completes(file: string, input: unknown): boolean {
  const before = ifThere(() => readRegularFile(file, MAX_TASK_BYTES));
  if (before === undefined || IS_COMPLETED.test(before)) return false;
  const [old, next] = [textOf(input, "old_string"), textOf(input, "new_string") ?? ""];
  const after = old === undefined ? textOf(input, "content") : before.replaceAll(old, () => next);
  return IS_COMPLETED.test(after ?? "");
}

/** Patterns may start elsewhere, and may contain `..`. */
function isSearchInside({ list }: RepairPlace, { tool, input, cwd }: ScopedCall): boolean {
  const isInList = (real: string): boolean => real === list || real.startsWith(`${list}/`);
  const folder = textOf(input, "path") ?? cwd;
  if (!areAll(cwd, folder, isInList)) return false;
  return patternsIn(tool, input).every((pattern) =>
    startsOf(pattern)?.every((start) => areAll(folder, start, isInList)),
  );
}

/** Judges every place that the path may mean. */
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
  reason: `${tool} may not be used ${path === undefined ? "here" : `on ${JSON.stringify(path)}`}: this run only repairs the task files of one list and the context file.`,
});
