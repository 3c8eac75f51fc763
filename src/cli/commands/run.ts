import { join } from "node:path";
import { rmSync, writeFileSync } from "node:fs";
import { openTmux, attachCommand } from "../../machine/tmux.ts";
import { openSessionFolder } from "../../store/session-folder.ts";
import { requireId, sessionOutput, storySession } from "../../story/names.ts";
import type { Answer, Build, Session } from "../command.ts";
import { leaveEnvironment } from "../handover.ts";
import { plain } from "../output.ts";
import { withRunOptions, wordsOf, type RunOptions } from "../run-options.ts";
import { requireClaude, requireSandbox, requireStartable } from "../startable.ts";
import { workOn } from "../work-on.ts";

interface Options extends RunOptions {
  readonly foreground?: boolean;
  readonly rehearse?: boolean;
  readonly json?: boolean;
}

export const build: Build = (shell) =>
  shell.action(
    withRunOptions(
      shell
        .command(
          "run",
          "Start a worker on a story, in a tmux session that outlives this terminal.",
          [
            "saga run add-login                     returns at once; saga logs add-login -f follows it",
            "saga run add-login --max-time 120 --max-cost 5",
            "saga run add-login --foreground        here, until it is done",
            "saga run add-login --rehearse          try everything on a copy, without spending a token",
          ],
        )
        .argument("<story>", "the story to work on")
        .option("--foreground", "work here instead of in a session of its own")
        .option("--rehearse", "work on a throw-away copy with a scripted model: costs nothing"),
    ),
    async (session, [given = ""], options: Options) => {
      const storyId = requireId("story", given);
      const store = session.openProject();
      await requireStartable(store, storyId);
      if (options.rehearse) {
        const { rehearse } = await import("../rehearse.ts");
        return rehearse(session, storyId, options);
      }
      const settings = await store.settings();
      requireClaude(settings, session.io, store.project);
      await requireSandbox(settings, session.io);
      if (options.foreground) return workOn(session, storyId, options);
      return startSession(session, storyId, options);
    },
  );

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
  leaveEnvironment(environment, io.env, settings.claude.passEnv);
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
