// PreToolUse: keeps a session in a story's worktree inside its story, for tools that take a path.

import { judgePaths } from "../claude/scope.ts";
import { runHook } from "./hook.ts";
import { judgeSession } from "./session-scope.ts";

void runHook((call) => judgeSession(call, judgePaths));
