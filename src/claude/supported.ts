// Which versions of Claude Code can do a story. Tried with the whole of Saga: 2.1.33, 2.1.50, 2.1.100, 2.1.150,
// 2.1.200, 2.1.233 and 2.1.325. 2.1.30 does not ask before a task is completed (it has no TaskCompleted hook), so
// that a task whose check fails would count; 2.1.16 has no Task tools at all.

import { isAtLeast } from "../text/version.ts";

export const OLDEST_CLAUDE = "2.1.33";

export const WHY_NOT_OLDER =
  "Before 2.1.33 it does not ask Saga before a task is completed, so that a task whose check fails would count; the oldest have no Task tools.";

export const isSupported = (version: string): boolean => isAtLeast(version, OLDEST_CLAUDE);
