// Which versions of Claude Code Saga supports. Tested with all of Saga: 2.1.33, 2.1.50, 2.1.100, 2.1.150, 2.1.200,
// 2.1.233 and 2.1.325. 2.1.30 has no TaskCompleted hook, so a task whose check fails would count; 2.1.16 has no Task
// tools.

import { isAtLeast } from "../text/version.ts";

export const OLDEST_CLAUDE = "2.1.33";

export const WHY_NOT_OLDER =
  "Versions before 2.1.33 do not ask Saga before a task is completed, so a task whose check fails would count; the oldest have no Task tools.";

/**
 * From here on a run is confined by Claude Code itself too: its configuration comes from the trusted checkout, its file
 * tools write in the worktree only, a hook that fails refuses, and a list of domains is enforced. Older versions stop at
 * the first of these options, or ignore it. Measured with this version; some before it may have them too.
 */
const CONFINES_FROM = "2.1.325";

export const canConfine = (version: string): boolean => isAtLeast(version, CONFINES_FROM);

export const isSupported = (version: string): boolean => isAtLeast(version, OLDEST_CLAUDE);
