// PreToolUse of a shell: keeps a session in a story's worktree inside its story, as far as its commands
// can be read.

import { mayChange, mayStart } from "../agent/shell/prefilter.ts";
import { judgeWrites, plainWrites } from "../agent/shell/redirects.ts";
import { runGuard } from "./hook.ts";
import { judgeSession } from "./session-scope.ts";

void runGuard(async (call) => {
  const { command } = (call.input["tool_input"] ?? {}) as { readonly command?: unknown };
  if (typeof command !== "string" || !mayChange(command)) return undefined;
  const writes = mayStart(command) ? undefined : plainWrites(command);
  if (writes !== undefined) {
    return judgeSession(call, (scope, { tool, cwd }) => judgeWrites(scope, { tool, writes, cwd }));
  }
  // A file of its own, which most commands need not wait for.
  const { judgeCommand } = await import("../agent/shell/guard.ts");
  return judgeSession(call, (scope, { tool, cwd }) => judgeCommand(scope, { tool, command, cwd }));
});
