// PreToolUse: keeps a session in a story's worktree inside its story, for tools that take a path.

import { judgePaths } from "../agent/scope/scope.ts";
import { runGuard } from "./hook.ts";
import { judgeSession } from "./session-scope.ts";

void runGuard((call) => judgeSession(call, judgePaths));
