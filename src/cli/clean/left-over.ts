// Which files of sessions nobody will read any more. Their folder is shared by all projects of a user.

import {
  epicOfSession,
  isPoolName,
  POOL_DAEMON,
  storyOfSession,
} from "../../story/definition/names.ts";

export interface SessionFile {
  readonly path: string;
  /** With keys in it. Its session reads and removes it first of all; without one nobody ever will. */
  readonly isEnvironment: boolean;
  readonly session: string;
  readonly ageMs: number;
}

export interface SeenSessions {
  readonly living: ReadonlySet<string>;
  readonly ended: ReadonlySet<string>;
  /** Those of this project that nobody has. */
  readonly idleStories: ReadonlySet<string>;
  readonly idleEpics: ReadonlySet<string>;
}

/** A session's file that belongs to no run of this project may be another project's. */
const FORGOTTEN_MS = 24 * 3600_000;
/** Its file is there a moment before the session is. */
const BEGUN_MS = 5_000;

export function isLeftOver(file: SessionFile, seen: SeenSessions): boolean {
  const { session, ageMs, isEnvironment } = file;
  if (seen.living.has(session)) return false;
  if (seen.ended.has(session) || ageMs > FORGOTTEN_MS) return true;
  return ageMs > BEGUN_MS && (isEnvironment || isIdle(session, seen));
}

function isIdle(session: string, { idleStories, idleEpics }: SeenSessions): boolean {
  const storyId = storyOfSession(session)?.storyId ?? "";
  // Whosever pool that was: its daemon has read what they said. What the daemon itself said may be needed.
  const isPools = isPoolName(storyId) && storyId !== POOL_DAEMON;
  return isPools || idleStories.has(storyId) || idleEpics.has(epicOfSession(session) ?? "");
}
