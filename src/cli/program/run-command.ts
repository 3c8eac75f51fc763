// Runs one command from its arguments to its exit code, and prints every error in the same form.

import { CommanderError, type Command } from "commander";
import { resolve } from "node:path";
import { SagaError } from "../../errors.ts";
import { readProblem } from "../../machine/files/files.ts";
import { takeUnreported } from "../../machine/programs/removed-settings.ts";
import { findProject, layoutOf } from "../../store/project/layout.ts";
import { EXIT } from "../../story/state/exit-codes.ts";
import { didYouMean, nearestNames } from "../../text/did-you-mean.ts";
import { askForArgument, missingName, withArgument } from "../pick/missing-argument.ts";
import { isName, kindOfArgument } from "./named-ids.ts";
import { withoutKindWord } from "./kind-word.ts";
import { CommandBuilder, type Build, type FleetSeam } from "./command.ts";
import type { Io } from "./io.ts";
import { describeError, jsonText, painter, plain } from "../output/terminal.ts";

/** Commands are imported on use. */
export type Loader = () => Promise<{ readonly build: Build }>;

export async function runLoaded(
  load: Loader,
  words: readonly string[],
  io: Io,
  fleet?: FleetSeam,
): Promise<number> {
  const exitCode = await runAlone(load, words, new CommandBuilder(io, fleet));
  // Whichever process removed something, the next command tells the person.
  const sentences = isForPerson(words) ? takeUnreported(io.env) : [];
  for (const sentence of sentences) io.writeError(`! ${plain(sentence)}\n`);
  return exitCode;
}

/** No person reads what a program asks for, and what goes to a session may be read much later. */
const isForPerson = (words: readonly string[]): boolean =>
  !words.some((word) => word === "--json" || word.startsWith("--session"));

async function runAlone(
  load: Loader,
  words: readonly string[],
  builder: CommandBuilder,
): Promise<number> {
  try {
    const { build } = await load();
    return await parse(build, words, builder);
  } catch (error) {
    return report(asSagaError(error), words, builder.io);
  }
}

async function parse(
  build: Build,
  passed: readonly string[],
  builder: CommandBuilder,
): Promise<number> {
  const { io } = builder;
  const command = build(builder);
  const words = withIdFirst(command, passed, io);
  redirectOutput(command, io, `saga ${command.name()}`);
  try {
    await command.parseAsync([...words], { from: "user" });
    return builder.exitCode;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return 0;
    const value = await askForMissing(error, command, words, io);
    if (value !== undefined) return parse(build, withArgument(words, value), builder);
    return report(usageError(error, command, words), words, io);
  }
}

/** Without `story` in `show story add-login`. */
function withIdFirst(command: Command, words: readonly string[], io: Io): readonly string[] {
  const [first] = command.registeredArguments;
  if (first === undefined || kindOfArgument(first.name()) === undefined) return words;
  return withoutKindWord(words, (word) => {
    const at = words.indexOf("-C");
    const project = findProject(resolve(io.cwd, at < 0 ? "." : (words[at + 1] ?? ".")));
    return project !== undefined && isName(layoutOf(project), word);
  });
}

/** Undefined if nothing is missing that a person can choose. */
async function askForMissing(
  { code, message }: CommanderError,
  command: Command,
  words: readonly string[],
  io: Io,
): Promise<string | undefined> {
  const name = code === "commander.missingArgument" ? missingName(message) : undefined;
  if (name === undefined || words.includes("--json")) return undefined;
  const { name: path, command: called } = commandNamed(command, words);
  const { C: folder = "." } = called.opts<{ C?: string }>();
  return askForArgument(io, {
    name,
    command: path.replace(/^saga /, ""),
    cwd: resolve(io.cwd, folder),
  });
}

function report(error: SagaError, words: readonly string[], io: Io): number {
  if (words.includes("--json")) {
    const { code, message, hint, problems } = error;
    io.writeOut(jsonText({ error: { code, message, hint, problems } }));
  } else io.writeError(describeError(error, painter(io.hasErrorColour), io.cwd));
  return error.code === "usage" ? EXIT.usage : EXIT.error;
}

/** An error of the operating system becomes one sentence; anything else is a bug in Saga. */
function asSagaError(error: unknown): SagaError {
  if (error instanceof SagaError) return error;
  const { code, path, stack } = error as NodeJS.ErrnoException;
  if (code !== undefined && path !== undefined) {
    return new SagaError("bad-file", `${path} ${readProblem(error)}.`, {
      hint: "Check the file and its permissions.",
      cause: error,
    });
  }
  return new SagaError("bug", `Internal error: ${String(error)}`, {
    hint: `This is a bug in Saga. Please report it with this stack trace: ${stack ?? ""}`,
    cause: error,
  });
}

function usageError(error: CommanderError, command: Command, words: readonly string[]): SagaError {
  const { name, command: called } = commandNamed(command, words);
  const hint = `Run \`${name} --help\` for its usage.`;
  const unknown = unknownOption(called, error, words);
  if (unknown !== undefined) {
    const suggestion = didYouMean(nearestNames(unknown, flagsOf(called)));
    return new SagaError("usage", `Unknown option ${unknown}.`, {
      hint: suggestion ? `${suggestion} ${hint}` : hint,
    });
  }
  const takesOnlyCommands = called.commands.length > 0 && called.registeredArguments.length === 0;
  const mistyped = takesOnlyCommands ? called.args[0] : undefined;
  if (mistyped !== undefined && MISTYPED.has(error.code)) {
    const near = nearestNames(
      mistyped,
      called.commands.map((child) => child.name()),
    );
    const suggestion = didYouMean(near.map((child) => `\`${name} ${child}\``));
    return new SagaError("usage", `Unknown command "${name.replace(/^saga /, "")} ${mistyped}".`, {
      hint: suggestion ? `${suggestion} ${hint}` : hint,
    });
  }
  if (error.code === "commander.help") {
    const choices = command.commands.map((child) => child.name()).join(", ");
    return new SagaError("usage", `Missing subcommand: ${choices}.`, { hint });
  }
  if (error.code === "commander.excessArguments") {
    const { registeredArguments: expected, args } = called;
    const sentence = `Too many arguments: expected ${expected.length}, got ${args.length} (${args.join(" ")}).`;
    return new SagaError("usage", sentence, { hint });
  }
  if (missingName(error.message) === "task") return missingTask(name, called, words);
  const [first = "", ...more] = plainUsage(error.message).split("\n");
  const sentence = first.charAt(0).toUpperCase() + first.slice(1).replace(/\.$/, "");
  return new SagaError("usage", `${sentence}.`, { hint: [...more, hint].join(" ") });
}

/** A story was named, and none of its tasks. */
function missingTask(name: string, called: Command, words: readonly string[]): SagaError {
  const story = words.find((word) => !word.startsWith("-") && word !== called.name()) ?? "<story>";
  return new SagaError("usage", `Missing argument <task>: \`${name}\` takes one task of a story.`, {
    hint: `\`saga show ${story}\` lists its tasks. Then: \`${name} ${story} <task>\`.`,
  });
}

/** Of a command with subcommands, a word that is none of them. */
const MISTYPED: ReadonlySet<string> = new Set([
  "commander.unknownCommand",
  "commander.excessArguments",
]);

/** Commander's messages in Saga's words: the option or argument first, without quotes inside quotes. */
const plainUsage = (message: string): string =>
  USAGE_TEXTS.reduce((text, [pattern, words]) => text.replace(pattern, words), message);

const USAGE_TEXTS: readonly (readonly [RegExp, string])[] = [
  [/^error: /, ""],
  [/^missing required argument '(.*)'/, "missing argument <$1>"],
  [/^required option '(.*)' not specified/, "missing option $1"],
  [/^option '((?:-\w, )?(--[\w-]+).*)' argument missing/, "$2 needs a value: $1"],
  [/^option '(?:-\w, )?(--?[\w-]+).*?' argument '(.*)' is invalid\./, 'invalid value "$2" for $1.'],
  [
    /^command-argument value '(.*)' is invalid for argument '(.*?)'\./,
    'invalid value "$1" for <$2>.',
  ],
  [/Allowed choices are /, "Use one of: "],
];

/** The deepest subcommand that the words name: `saga new story`. */
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
 * The name of a mistyped option, without its value (`--prio=1` is `--prio`). When a required option is mistyped,
 * Commander reports it as missing; the mistyped name helps more.
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

/** Keeps Commander from exiting and from writing to the process's own streams. */
function redirectOutput(command: Command, io: Io, name: string): void {
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
  for (const child of command.commands) redirectOutput(child, io, child.name());
}
