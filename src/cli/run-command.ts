// Runs one command from its words to its exit code, and turns every error into the same form.

import { CommanderError, type Command } from "commander";
import { SagaError } from "../errors.ts";
import { Shell } from "./command.ts";
import type { Io } from "./io.ts";
import { describeError, painter } from "./output.ts";
import type { CommandEntry } from "./table.ts";

export async function runCommand(
  entry: CommandEntry,
  words: readonly string[],
  io: Io,
): Promise<number> {
  const shell = new Shell(io);
  const { build } = await entry.load();
  const command = build(shell);
  speakThrough(command, io, `saga ${command.name()}`);
  try {
    await command.parseAsync([...words], { from: "user" });
    return shell.exitCode;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    const known = error instanceof CommanderError ? usageError(error, entry.name) : error;
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
