// Lists Saga's tmux sessions, of all projects. Those of this project can be stopped from the page.

import type { Environment } from "../../machine/processes/environment.ts";
import { shellWord } from "../../text/shell-quote.ts";
import { attachCommand, openTmux } from "../../machine/programs/tmux.ts";
import { epicOfSession, isSagaSession, storyOfSession } from "../../story/definition/names.ts";
import type { SessionCard } from "../protocol/messages.ts";

export async function readSessions(
  env: Environment,
  project: string,
): Promise<Map<string, SessionCard>> {
  const sessions = await openTmux(env).list();
  return new Map(
    sessions
      .filter(({ name }) => isSagaSession(name))
      .map(({ name, startedAtMs, folder }) => [
        name,
        {
          name,
          story: workerOf(name) === undefined ? storyOfSession(name)?.storyId : undefined,
          epic: epicOfSession(name),
          worker: workerOf(name),
          startedAt: new Date(startedAtMs).toISOString(),
          attach: attachCommand(name).map(shellWord).join(" "),
          isHere: folder === project,
        },
      ]),
  );
}

/** `saga-auto-<n>-<ms>`: a worker of the pool. */
export const workerOf = (session: string): string | undefined =>
  /^saga-(?<worker>auto-\d+)-\d{13,}$/.exec(session)?.groups?.["worker"];
