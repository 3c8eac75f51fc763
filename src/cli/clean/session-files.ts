// Decides which session files can be deleted. Their folder is shared by all projects of a user.

import {
  epicOfSession,
  isPoolName,
  POOL_DAEMON,
  storyOfSession,
} from "../../story/definition/names.ts";

export interface SessionFile {
  readonly path: string;
  /** Holds secrets. Its session deletes it at the start; without a session it would stay forever. */
  readonly isEnvironment: boolean;
  readonly session: string;
  readonly ageMs: number;
}

export interface KnownSessions {
  readonly living: ReadonlySet<string>;
  readonly ended: ReadonlySet<string>;
  /** Stories and epics of this project without a live lease. */
  readonly idleStories: ReadonlySet<string>;
  readonly idleEpics: ReadonlySet<string>;
}

/** A file that belongs to no run of this project may be another project's, so it is kept for a day. */
const FOREIGN_MS = 24 * 3600_000;
/** The file is created shortly before its session. */
const STARTUP_MS = 5_000;

export function isLeftOver(file: SessionFile, known: KnownSessions): boolean {
  const { session, ageMs, isEnvironment } = file;
  if (known.living.has(session)) return false;
  if (known.ended.has(session) || ageMs > FOREIGN_MS) return true;
  return ageMs > STARTUP_MS && (isEnvironment || isIdle(session, known));
}

function isIdle(session: string, { idleStories, idleEpics }: KnownSessions): boolean {
  const storyId = storyOfSession(session)?.storyId ?? "";
  // A daemon has read its workers' output, but a person may still need the daemon's.
  const isPoolWorker = isPoolName(storyId) && storyId !== POOL_DAEMON;
  return isPoolWorker || idleStories.has(storyId) || idleEpics.has(epicOfSession(session) ?? "");
}
