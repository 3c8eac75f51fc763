// Saga's tmux sessions in all projects, oldest first.

import { existsSync } from "node:fs";
import type { Environment } from "../../machine/processes/environment.ts";
import { openTmux, type TmuxSession } from "../../machine/programs/tmux.ts";
import { sessionFolderPath } from "../../store/project/session-folder.ts";
import {
  epicOfSession,
  isSagaSession,
  sessionOutput,
  storyOfSession,
} from "../../story/definition/names.ts";

export interface SagaSession extends TmuxSession {
  readonly storyId: string | undefined;
  /** Set for an epic's run; each of its stories has its own session. */
  readonly epicId: string | undefined;
  readonly outputFile: string | undefined;
}

export async function sagaSessions(env: Environment): Promise<readonly SagaSession[]> {
  const sessions = await openTmux(env).list();
  return sessions
    .filter(({ name }) => isSagaSession(name))
    .map((session) => {
      const file = sessionOutput(sessionFolderPath(env), session.name);
      return {
        ...session,
        storyId: storyOfSession(session.name)?.storyId,
        epicId: epicOfSession(session.name),
        outputFile: existsSync(file) ? file : undefined,
      };
    })
    .toSorted((one, other) => one.startedAtMs - other.startedAtMs);
}
