// Starts a worker in a session, in this terminal or on a copy, for `saga run` and `saga resume`.

import type { Command } from "commander";
import { attachCommand } from "../../machine/programs/tmux.ts";
import { findRepository } from "../../repo/repository.ts";
import { isBegun } from "../../store/views/overview.ts";
import { storySession } from "../../story/definition/names.ts";
import type { CommandResult, CommandContext } from "../program/command.ts";
import { EDITED_ADVICE, editedCopy, editedSentence } from "../output/edited-copy.ts";
import { plain } from "../output/terminal.ts";
import { withRunOptions, argumentsOf, type RunOptions } from "./run-options.ts";
import { startInSession } from "./start-session.ts";
import { requireBudget } from "./budget.ts";
import { requireAgentProgram, requireStartable } from "./require-startable.ts";
import { runWorker } from "./run-worker.ts";

export interface StartOptions extends RunOptions {
  readonly foreground?: boolean;
  readonly rehearse?: boolean;
  readonly json?: boolean;
}

export const withStartOptions = (command: Command): Command =>
  withRunOptions(
    command
      .option("--foreground", "run in this terminal instead of a detached session")
      .option("--rehearse", "run on a throw-away copy with a scripted model: costs nothing"),
  );

export async function startStory(
  context: CommandContext,
  storyId: string,
  options: StartOptions,
): Promise<CommandResult> {
  const store = context.openProject();
  const view = await requireStartable(store, storyId, context.io);
  // Checked here, because the error of a detached session would go unnoticed.
  await findRepository(store.project, context.io.env);
  if (options.rehearse) {
    const { rehearseStory } = await import("../rehearse/stories.ts");
    return rehearseStory(context, storyId, options);
  }
  const settings = await store.settings();
  requireBudget(settings, store.project, storyId);
  await requireAgentProgram(settings, context.io, store.project);
  await warnIfEdited(context, storyId);
  if (options.foreground) return runWorker(context, storyId, options);
  return startSession(context, storyId, options, isBegun(view) ? "Resumed" : "Started");
}

/** Warns about an edit that the worker will not see. */
async function warnIfEdited({ io, openProject }: CommandContext, storyId: string): Promise<void> {
  const store = openProject();
  const edited = await editedCopy({ store, env: io.env }, await store.readStory(storyId));
  if (edited === undefined) return;
  io.writeError(`${plain(editedSentence(edited, store.project))} ${EDITED_ADVICE}\n`);
}

export async function startSession(
  { io, openProject }: CommandContext,
  storyId: string,
  options: RunOptions,
  what: "Started" | "Resumed" = "Started",
): Promise<CommandResult> {
  const store = openProject();
  const settings = await store.settings();
  const name = storySession(storyId, Date.now());
  const { outputFile } = await startInSession(
    { io, store, settings },
    { name, words: ["worker", storyId, ...argumentsOf(options)], storyId },
  );
  return {
    json: { story: storyId, session: name, outputFile },
    text: (paint) =>
      [
        `${paint("green", "✓")} ${what} ${paint("bold", storyId)}`,
        `  session  ${name}`,
        `  output   ${plain(outputFile)}`,
        "",
        `Follow it: \`saga logs ${storyId} -f\``,
        `Watch it: \`saga attach ${storyId}\` or \`${attachCommand(name).join(" ")}\``,
        `Stop it: \`saga stop ${storyId}\``,
        "",
      ].join("\n"),
  };
}
