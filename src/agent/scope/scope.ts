// Whether one tool call of a story's agent is allowed. This runs on every call, in the worker and in a hook
// script that must start fast: no packages here, and the disk is only asked for names. It judges before the
// tool acts: what a shell swaps in between, the diff gate finds afterwards.

import { existsSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { guessesIn, pathsIn, patternsIn, startsOf, textOf } from "./tool-paths.ts";
import { rootsOf } from "./roots.ts";
import { follow, readingsOf, type PathRefusal } from "./resolve.ts";
import { quote, refusalOf, WORKTREES, type Purpose } from "./rules.ts";

export interface Scope {
  /** The main checkout, with `.saga` inside. This and `worktree` are real paths, without links. */
  readonly project: string;
  /** Usually `.saga/worktrees/<id>` in the project. */
  readonly worktree: string;
  readonly storyId: string;
  /** Real paths outside the worktree that the settings link into it: they may be read. */
  readonly readable: readonly string[];
  /** Real paths outside the worktree that no tool may read: Saga keeps the key of its seals there. */
  readonly hidden?: readonly string[] | undefined;
  /** Real paths outside the worktree that Claude Code has an agent write to: its plans, its notes. */
  readonly writable?: readonly string[] | undefined;
  /** Shell commands run in the sandbox: then nothing may be written that would run outside of it. */
  readonly isSandboxed?: boolean | undefined;
}

export interface ScopedCall {
  readonly tool: string;
  readonly input: unknown;
  readonly cwd: string;
}

export type ScopeVerdict =
  | { readonly isAllowed: true }
  | { readonly isAllowed: false; readonly reason: string };

/**
 * Tools that access no file by a path in their input. The plugin's matcher leaves out the same tools, so that
 * no hook is started for them.
 */
export const PATHLESS_TOOLS: ReadonlySet<string> = new Set([
  "TaskCreate",
  "TaskGet",
  "TaskList",
  "TaskUpdate",
  "TaskOutput",
  "TaskStop",
  "TodoWrite",
  "Skill",
  "ToolSearch",
  "WebFetch",
  "WebSearch",
  "AskUserQuestion",
  "EnterPlanMode",
  "ExitPlanMode",
  "ReportFindings",
  "SendMessage",
  "ListAgents",
  "CronCreate",
  "CronDelete",
  "CronList",
  "ScheduleWakeup",
  "ExitWorktree",
]);

/** Tools that are known to change nothing. Any other tool is assumed to write. */
const READERS: ReadonlyMap<string, Purpose> = new Map([
  ["Read", "read"],
  ["NotebookRead", "read"],
  ["LSP", "read"],
  ["ReadMcpResourceTool", "read"],
  ["Glob", "search"],
  ["Grep", "search"],
  ["LS", "search"],
]);

/** Claude Code's own tools that write: the keys of their paths are known. */
const OWN_WRITERS: ReadonlySet<string> = new Set([
  "Write",
  "Edit",
  "MultiEdit",
  "NotebookEdit",
  "EnterWorktree",
  "Workflow",
  "Task",
  "Agent",
]);

const ALLOWED: ScopeVerdict = { isAllowed: true };

/** Judges the paths in a tool's input. Shell commands are judged in `shell/guard.ts`. */
export function judgePaths(scope: Scope, call: ScopedCall): ScopeVerdict {
  const { tool, input } = call;
  if (PATHLESS_TOOLS.has(tool) || tool.startsWith("mcp__saga__")) return ALLOWED;
  if (tool === "EnterWorktree" && textOf(input, "path") === undefined) {
    return refused(tool, "change", "the list of worktrees", WORKTREES);
  }
  if (/^(?:Agent|Task)$/.test(tool) && textOf(input, "isolation") === "worktree") {
    return refused(tool, "change", "the list of worktrees", ISOLATION);
  }
  const purpose = purposeOf(tool);
  const cwd = isAbsolute(call.cwd) ? call.cwd : join(scope.worktree, call.cwd);
  for (const path of pathsIn(input)) {
    const verdict = judgePath(scope, { tool, purpose, cwd, path });
    if (!verdict.isAllowed) return verdict;
  }
  if (purpose === "search") return judgeSearch(scope, { tool, input, cwd });
  const isOwn = READERS.has(tool) || OWN_WRITERS.has(tool);
  return isOwn ? ALLOWED : judgeGuesses(scope, { tool, input, cwd });
}

const ISOLATION: PathRefusal = {
  because: WORKTREES.because,
  instead: "Call it without isolation, to work in the worktree of this story.",
};

export const isReader = (tool: string): boolean => READERS.has(tool) || PATHLESS_TOOLS.has(tool);

function purposeOf(tool: string): Purpose {
  return READERS.get(tool) ?? (tool.startsWith("mcp__") ? "use" : "change");
}

interface PathUse {
  readonly tool: string;
  readonly purpose: Purpose;
  /** The absolute folder that relative paths start from. */
  readonly cwd: string;
  /** As written in the tool's input. */
  readonly path: string;
}

/** One path, for one purpose. Allowed only if every place that it may mean is allowed. */
function judgePath(scope: Scope, { tool, purpose, cwd, path }: PathUse): ScopeVerdict {
  const roots = rootsOf(scope);
  const readings = readingsOf(cwd, path);
  if ("because" in readings) return refused(tool, purpose, quote(path), readings);
  for (const reading of readings) {
    const place = follow(reading, roots.project);
    const refusal = "because" in place ? place : refusalOf(roots, purpose, place);
    if (refusal !== undefined) {
      const isPlain = "because" in place || place.path === path;
      const shown = isPlain ? quote(path) : `${quote(path)}, which is ${quote(place.path)}`;
      return refused(tool, purpose, shown, refusal);
    }
  }
  return ALLOWED;
}

/** Texts that may be paths are refused only if they lead into the project. */
function judgeGuesses(scope: Scope, { tool, input, cwd }: ScopedCall): ScopeVerdict {
  for (const path of guessesIn(input)) {
    const readings = readingsOf(cwd, path);
    if ("because" in readings) continue;
    const places = readings.map((reading) => follow(reading, rootsOf(scope).project));
    if (places.some((place) => "because" in place)) continue;
    // A sentence may start with a path, but no file has a sentence as its name.
    if (/\s/.test(path.trim().replace(scope.project, "")) && !readings.some(existsSync)) continue;
    const verdict = judgePath(scope, { tool, purpose: "use", cwd, path });
    if (!verdict.isAllowed) return verdict;
  }
  return ALLOWED;
}

/** A search without a folder starts in the agent's folder, and a pattern may start elsewhere. */
function judgeSearch(scope: Scope, { tool, input, cwd }: ScopedCall): ScopeVerdict {
  const folder = textOf(input, "path");
  if (folder === undefined) {
    const verdict = judgePath(scope, { tool, purpose: "search", cwd, path: cwd });
    if (!verdict.isAllowed) return verdict;
  }
  for (const pattern of patternsIn(tool, input)) {
    const starts = startsOf(pattern);
    if (starts === undefined) return refused(tool, "search", quote(pattern), UNBOUNDED);
    for (const path of starts) {
      const verdict = judgeStart(scope, { tool, cwd, path, folder });
      if (!verdict.isAllowed) return verdict;
    }
  }
  return ALLOWED;
}

const UNBOUNDED: PathRefusal = {
  because: "it is unclear where the pattern leads",
  instead: "Give a folder of the worktree as `path`, and a short pattern without `..`.",
};

interface Start {
  readonly tool: string;
  readonly cwd: string;
  readonly path: string;
  readonly folder: string | undefined;
}

function judgeStart(scope: Scope, { tool, cwd, path, folder }: Start): ScopeVerdict {
  const folders = folder === undefined ? [cwd] : readingsOf(cwd, folder);
  // An unclear folder was already refused.
  if ("because" in folders) return ALLOWED;
  for (const from of folders) {
    const verdict = judgePath(scope, { tool, purpose: "search", cwd: from, path });
    if (!verdict.isAllowed) return verdict;
  }
  return ALLOWED;
}

const refused = (
  tool: string,
  purpose: Purpose,
  shown: string,
  { because, instead }: PathRefusal,
): ScopeVerdict => ({
  isAllowed: false,
  reason: `${tool} may not ${purpose} ${shown}: ${because}. ${instead}`,
});
