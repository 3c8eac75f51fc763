// The start of a worker: in a session of its own, here, or on a copy. `saga run` and `saga resume` share it.

import type { Command } from "commander";
import { attachCommand } from "../../machine/programs/tmux.ts";
import { findRepository } from "../../repo/repository.ts";
import { storySession } from "../../story/definition/names.ts";
import type { CommandResult, CommandContext } from "../program/command.ts";
import { EDITED_ADVICE, editedCopy, editedSentence } from "../output/edited-copy.ts";
import { plain } from "../output/terminal.ts";
import { withRunOptions, wordsOf, type RunOptions } from "./run-options.ts";
import { startInSession } from "./start-session.ts";
import { requireSandbox, requireStartable, requireSupportedClaude } from "./startable.ts";
import { workOn } from "./run-worker.ts";

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
  context: CommandContext,
  storyId: string,
  options: StartOptions,
): Promise<CommandResult> {
  const store = context.openProject();
  await requireStartable(store, storyId, context.io);
  // A session that ends at once says it where nobody looks.
  await findRepository(store.project, context.io.env);
  if (options.rehearse) {
    const { rehearse } = await import("../rehearse/story.ts");
    return rehearse(context, storyId, options);
  }
  const settings = await store.settings();
  await requireSupportedClaude(settings, context.io, store.project);
  await requireSandbox(settings, context.io);
  await sayIfEdited(context, storyId);
  if (options.foreground) return workOn(context, storyId, options);
  return startSession(context, storyId, options);
}

/** An edit that the worker will not see. */
async function sayIfEdited({ io, openProject }: CommandContext, storyId: string): Promise<void> {
  const store = openProject();
  const edited = await editedCopy({ store, env: io.env }, await store.readStory(storyId));
  if (edited === undefined) return;
  io.writeError(`${plain(editedSentence(edited, store.project))} ${EDITED_ADVICE}\n`);
}

export async function startSession(
  { io, openProject }: CommandContext,
  storyId: string,
  options: RunOptions,
): Promise<CommandResult> {
  const store = openProject();
  const settings = await store.settings();
  const name = storySession(storyId, Date.now());
  const { outputFile } = await startInSession(
    { io, store, settings },
    { name, words: ["worker", storyId, ...wordsOf(options)], storyId },
  );
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
