// Starts Saga once more in a session of its own: a worker, the daemon of the pool, or the run of an epic.

import type { Context } from "../../context.ts";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openTmux } from "../../machine/programs/tmux.ts";
import { noticeVariables } from "../../store/notifications/send.ts";
import { openSessionFolder } from "../../store/project/session-folder.ts";
import { sessionOutput } from "../../story/definition/names.ts";
import { leaveEnvironment } from "./session-environment.ts";
import type { Io } from "../program/io.ts";

interface Around extends Pick<Context, "store" | "settings"> {
  readonly io: Io;
}

export interface NewSession {
  readonly name: string;
  /** What Saga is told there, its command first. */
  readonly words: readonly string[];
  /** Whom the session is for, when it is for one. */
  readonly storyId?: string;
}

export interface StartedSession {
  readonly session: string;
  readonly outputFile: string;
}

export async function startInSession(
  { io, store, settings }: Around,
  { name, words: [command = "", ...words], storyId = "" }: NewSession,
): Promise<StartedSession> {
  const folder = openSessionFolder(io.env, process.getuid?.());
  const outputFile = sessionOutput(folder, name);
  const environment = join(folder, `${name}.env`);
  leaveEnvironment(environment, io.env, [...settings.claude.passEnv, ...noticeVariables(settings)]);
  // There from the beginning, so that nobody waits for it, and closed to others.
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
        // What the tmux server's first caller had there must not reach the worker.
        NODE_OPTIONS: "",
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
