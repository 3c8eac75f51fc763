// Whether one tool call of a story's agent is allowed, whatever the tool.

import { judgeBesideSandbox } from "./scope/sandboxed-files.ts";
import { judgePaths, type Scope, type ScopedCall, type ScopeVerdict } from "./scope/scope.ts";
import { judgeCommand } from "./shell/guard.ts";

/** Tools whose input is a shell command. */
export const SHELL_TOOLS: ReadonlySet<string> = new Set(["Bash", "Monitor"]);

export function judgeToolCall(scope: Scope, call: ScopedCall): ScopeVerdict {
  if (SHELL_TOOLS.has(call.tool)) return judgeCommand(scope, call);
  const verdict = judgePaths(scope, call);
  return verdict.isAllowed && scope.isSandboxed ? judgeBesideSandbox(scope, call) : verdict;
}
