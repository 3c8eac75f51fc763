// Runs one command from its words to its exit code, and turns every error into the same form.

import { CommanderError, type Command } from "commander";
import { SagaError } from "../../errors.ts";
import { readProblem } from "../../machine/files/files.ts";
import { EXIT } from "../../story/state/exit-codes.ts";
import { didYouMean, nearestNames } from "../../text/did-you-mean.ts";
import { CommandBuilder, type Build } from "./command.ts";
import type { Io } from "./io.ts";
import { describeError, jsonText, painter } from "../output/terminal.ts";

/** A command is brought to life when it is named. */
export type Loader = () => Promise<{ readonly build: Build }>;

export async function runLoaded(load: Loader, words: readonly string[], io: Io): Promise<number> {
  const builder = new CommandBuilder(io);
  try {
    const { build } = await load();
    const command = build(builder);
    speakThrough(command, io, `saga ${command.name()}`);
    try {
      await command.parseAsync([...words], { from: "user" });
      return builder.exitCode;
    } catch (error) {
      if (!(error instanceof CommanderError)) throw error;
      if (error.exitCode === 0) return 0;
      return report(usageError(error, command, words), words, io);
    }
  } catch (error) {
    return report(known(error), words, io);
  }
}

function report(error: SagaError, words: readonly string[], io: Io): number {
  if (words.includes("--json")) {
    const { code, message, hint, problems } = error;
    io.writeOut(jsonText({ error: { code, message, hint, problems } }));
  } else io.writeError(describeError(error, painter(io.hasErrorColour), io.cwd));
  return error.code === "usage" ? EXIT.usage : EXIT.error;
}

/** What the system refuses is said in one sentence; anything else is our own fault. */
function known(error: unknown): SagaError {
  if (error instanceof SagaError) return error;
  const { code, path, stack } = error as NodeJS.ErrnoException;
  if (code !== undefined && path !== undefined) {
    return new SagaError("bad-file", `${path} ${readProblem(error)}.`, {
      hint: "Check what it is and who may use it.",
      cause: error,
    });
  }
  return new SagaError("bug", `Something went wrong inside Saga: ${String(error)}`, {
    hint: `This is a fault of Saga. Please report it with this: ${stack ?? ""}`,
    cause: error,
  });
}

function usageError(error: CommanderError, command: Command, words: readonly string[]): SagaError {
  const { name: named, command: called } = commandNamed(command, words);
  const hint = `\`${named} --help\` shows how it is used.`;
  const unknown = unknownOption(called, error, words);
  if (unknown !== undefined) {
    const meant = didYouMean(nearestNames(unknown, flagsOf(called)));
    const sentence = `There is no option ${unknown}.`;
    return new SagaError("usage", sentence, { hint: meant ? `${meant} ${hint}` : hint });
  }
  if (error.code === "commander.help") {
    const choices = command.commands.map((child) => child.name()).join(", ");
    return new SagaError("usage", `Say what: ${choices}.`, { hint });
  }
  const [first = "", ...more] = error.message.replace(/^error: /, "").split("\n");
  const given = words.filter((word) => !word.startsWith("-")).join(" ");
  const extra = error.code === "commander.excessArguments" ? ` (${given})` : "";
  const sentence = first.charAt(0).toUpperCase() + first.slice(1).replace(/\.$/, "");
  return new SagaError("usage", `${sentence}${extra}.`, { hint: [...more, hint].join(" ") });
}

/** `saga new story`, as far down as the words go. */
function commandNamed(
  command: Command,
  words: readonly string[],
): { readonly name: string; readonly command: Command } {
  const child = command.commands.find((one) => words.includes(one.name()));
  return child
    ? { name: `${command.name()} ${child.name()}`, command: child }
    : { name: command.name(), command };
}

/**
 * A mistyped option is also why a required one is missing, and that is what Commander finds first. Its name alone:
 * `--prio=1` is `--prio`.
 */
function unknownOption(
  command: Command,
  { code, message }: CommanderError,
  words: readonly string[],
): string | undefined {
  if (code === "commander.unknownOption") return /'(?<flag>[^'=]+)/.exec(message)?.groups?.["flag"];
  if (code !== "commander.missingMandatoryOptionValue") return undefined;
  const rest = words.slice(words.indexOf(command.name()) + 1);
  const [first] = command.parseOptions([...rest]).unknown;
  return first?.startsWith("-") ? first.split("=")[0] : undefined;
}

const flagsOf = (command: Command): string[] => [
  ...command.options.flatMap(({ long, hidden }) => (long && !hidden ? [long] : [])),
  "--help",
];

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
