// Runs one command from its words to its exit code, and turns every error into the same form.

import { CommanderError, type Command } from "commander";
import { SagaError } from "../errors.ts";
import { Shell, type Build } from "./command.ts";
import type { Io } from "./io.ts";
import { describeError, painter } from "./output.ts";
import type { CommandName } from "./table.ts";

/** A command is brought to life when it is named. */
export const LOADERS: Readonly<Record<CommandName, () => Promise<{ readonly build: Build }>>> = {
  init: () => import("./commands/init.ts"),
  new: () => import("./commands/new.ts"),
  stage: () => import("./commands/stage.ts"),
  list: () => import("./commands/list.ts"),
  show: () => import("./commands/show.ts"),
  validate: () => import("./commands/validate.ts"),
  journal: () => import("./commands/journal.ts"),
  archive: () => import("./commands/archive.ts"),
  config: () => import("./commands/config.ts"),
  schema: () => import("./commands/schema.ts"),
  doctor: () => import("./commands/doctor.ts"),
  complete: () => import("./commands/complete.ts"),
};

export async function runCommand(
  name: CommandName,
  words: readonly string[],
  io: Io,
): Promise<number> {
  const shell = new Shell(io);
  const { build } = await LOADERS[name]();
  const command = build(shell);
  speakThrough(command, io, `saga ${command.name()}`);
  try {
    await command.parseAsync([...words], { from: "user" });
    return shell.exitCode;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    const known = error instanceof CommanderError ? usageError(error, name) : error;
    if (!(known instanceof SagaError)) throw error;
    return report(known, words.includes("--json"), io);
  }
}

function report(error: SagaError, asJson: boolean, io: Io): number {
  if (asJson) {
    const { code, message, hint, problems } = error;
    io.writeOut(`${JSON.stringify({ error: { code, message, hint, problems } }, undefined, 2)}\n`);
  } else io.writeError(describeError(error, painter(io), io.cwd));
  return error.code === "usage" ? 2 : 1;
}

function usageError(error: CommanderError, name: string): SagaError {
  const message = error.message.replace(/^error: /, "").split("\n");
  return new SagaError("usage", `${message[0]?.replace(/\.?$/, ".")}`, {
    hint: [...message.slice(1), `\`saga ${name} --help\` shows how it is used.`].join(" "),
  });
}

/** Commander neither exits nor writes on its own. */
function speakThrough(command: Command, io: Io, name: string): void {
  command
    .name(name)
    .exitOverride()
    .configureOutput({
      writeOut: io.writeOut,
      writeErr: (text) => void text,
      outputError: () => undefined,
      getOutHelpWidth: () => 100,
      getOutHasColors: () => io.hasColour,
    });
  for (const child of command.commands) speakThrough(child, io, child.name());
}
