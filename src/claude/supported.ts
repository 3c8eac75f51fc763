// Which versions of Claude Code Saga supports. Tested with all of Saga: 2.1.33, 2.1.50, 2.1.100, 2.1.150, 2.1.200,
// 2.1.233 and 2.1.325. 2.1.30 has no TaskCompleted hook, so a task whose check fails would count; 2.1.16 has no Task
// tools.

import { isAtLeast } from "../text/version.ts";

export const OLDEST_CLAUDE = "2.1.33";

export const WHY_NOT_OLDER =
  "Versions before 2.1.33 do not ask Saga before a task is completed, so a task whose check fails would count; the oldest have no Task tools.";

export const isSupported = (version: string): boolean => isAtLeast(version, OLDEST_CLAUDE);
