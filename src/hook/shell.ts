// PreToolUse: keeps a session in a story's worktree inside its story, for shell commands.

import { judgeCommand } from "../agent/shell/guard.ts";
import { runGuard } from "./hook.ts";
import { judgeSession } from "./session-scope.ts";

void runGuard((call) => judgeSession(call, judgeCommand));
