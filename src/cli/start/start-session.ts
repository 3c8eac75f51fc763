// Starts Saga in a new tmux session: a worker, the pool's daemon, or an epic's run.

import type { Context } from "../../context.ts";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openTmux } from "../../machine/programs/tmux.ts";
import { notificationVariables } from "../../store/notifications/send.ts";
import { openSessionFolder } from "../../store/project/session-folder.ts";
import { sessionOutput } from "../../story/definition/names.ts";
import { writeEnvironment } from "./session-environment.ts";
import type { Io } from "../program/io.ts";

export interface NewSession {
  readonly name: string;
  /** Saga's arguments, the command first. */
  readonly words: readonly string[];
  /** The story or pool worker that the session is for. */
  readonly storyId?: string;
}

export interface StartedSession {
  readonly session: string;
  readonly outputFile: string;
}

export async function startInSession(
  { io, store, settings }: Pick<Context, "store" | "settings"> & { readonly io: Io },
  { name, words: [command = "", ...words], storyId = "" }: NewSession,
): Promise<StartedSession> {
  const folder = openSessionFolder(io.env, process.getuid?.());
  const outputFile = sessionOutput(folder, name);
  const environment = join(folder, `${name}.env`);
  writeEnvironment(environment, io.env, [
    ...settings.claude.passEnv,
    ...notificationVariables(settings),
  ]);
  // Created before the session, so that readers find it, and with a private mode.
  writeFileSync(outputFile, "", { mode: 0o600 });
  try {
    await openTmux(io.env).start({
      name,
      cwd: store.project,
      env: {
        PATH: io.env["PATH"] ?? "",
        HOME: io.env["HOME"] ?? "",
        SAGA_PROJECT_DIR: store.project,
        SAGA_SESSION_DIR: folder,
        SAGA_STORY_ID: storyId,
        SAGA_STORY_PATH: storyId,
        // Must not be inherited from the process that started the tmux server.
        NODE_OPTIONS: "",
        // Read before the environment's file is: compiled code is kept there.
        XDG_STATE_HOME: io.env["XDG_STATE_HOME"] ?? "",
        // Node reads it when it starts: for a fleet's database with an authority of its own.
        NODE_EXTRA_CA_CERTS: io.env["NODE_EXTRA_CA_CERTS"] ?? "",
      },
      command: [
        ...io.program,
        command,
        ...words,
        `-C${store.project}`,
        `--session=${name}`,
        `--output-file=${outputFile}`,
        `--environment=${environment}`,
      ],
      outputFile,
    });
  } catch (error) {
    rmSync(environment, { force: true });
    rmSync(outputFile, { force: true });
    throw error;
  }
  return { session: name, outputFile };
}
