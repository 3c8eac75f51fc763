// The start of a worker: in a session of its own, here, or on a copy. `saga run` and `saga resume` share it.

import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { attachCommand, openTmux } from "../machine/tmux.ts";
import { noticeVariables } from "../store/say.ts";
import { openSessionFolder } from "../store/session-folder.ts";
import { sessionOutput, storySession } from "../story/names.ts";
import type { Answer, Session } from "./command.ts";
import { leaveEnvironment } from "./handover.ts";
import { plain } from "./output.ts";
import { withRunOptions, wordsOf, type RunOptions } from "./run-options.ts";
import { requireClaude, requireSandbox, requireStartable } from "./startable.ts";
import { workOn } from "./work-on.ts";

export interface StartOptions extends RunOptions {
  readonly foreground?: boolean;
  readonly rehearse?: boolean;
  readonly json?: boolean;
}

export const withStartOptions = (command: Command): Command =>
  withRunOptions(
    command
      .option("--foreground", "work here instead of in a session of its own")
      .option("--rehearse", "work on a throw-away copy with a scripted model: costs nothing"),
  );

export async function startStory(
  session: Session,
  storyId: string,
  options: StartOptions,
): Promise<Answer> {
  const store = session.openProject();
  await requireStartable(store, storyId);
  if (options.rehearse) {
    const { rehearse } = await import("./rehearse.ts");
    return rehearse(session, storyId, options);
  }
  const settings = await store.settings();
  requireClaude(settings, session.io, store.project);
  await requireSandbox(settings, session.io);
  if (options.foreground) return workOn(session, storyId, options);
  return startSession(session, storyId, options);
}

export async function startSession(
  { io, openProject }: Session,
  storyId: string,
  options: RunOptions,
): Promise<Answer> {
  const store = openProject();
  const settings = await store.settings();
  const folder = openSessionFolder(io.env, process.getuid?.());
  const name = storySession(storyId, Date.now());
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
        "worker",
        storyId,
        `-C${store.project}`,
        `--session=${name}`,
        `--output-file=${outputFile}`,
        `--environment=${environment}`,
        ...wordsOf(options),
      ],
      outputFile,
    });
  } catch (error) {
    rmSync(environment, { force: true });
    rmSync(outputFile, { force: true });
    throw error;
  }
  return {
    json: { story: storyId, session: name, outputFile },
    text: (paint) =>
      [
        `${paint("green", "●")} ${paint("bold", storyId)} is being worked on.`,
        `  session  ${name}`,
        `  output   ${plain(outputFile)}`,
        "",
        `Follow it with \`saga logs ${storyId} -f\`, look into it with \`saga attach ${storyId}\`,`,
        `or \`${attachCommand(name).join(" ")}\`; \`saga stop ${storyId}\` ends it.`,
        "",
      ].join("\n"),
  };
}
