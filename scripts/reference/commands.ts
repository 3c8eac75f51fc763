// Every command with its arguments, options, examples and exit codes, as its help shows them.

import type { Argument, Command, Option } from "commander";
import { helpOf, CommandBuilder } from "../../src/cli/program/command.ts";
import type { Io } from "../../src/cli/program/io.ts";
import { LOADERS } from "../../src/cli/program/all-commands.ts";
import { COMMANDS, TOPICS } from "../../src/cli/program/table.ts";
import { EXIT_MEANINGS } from "../../src/story/state/exit-codes.ts";
import { bullets, code, fence, page, prose, table } from "./markdown.ts";

const COMMON = ["--json", "-C", "--help"];

export async function commandsPage(): Promise<string> {
  const commands = await commandsToShow();
  return page(
    "Commands",
    "Every command has `--json` for programs, `--help` with examples, and `-C <folder>` to work as if started in that folder. Results go to standard output, errors to standard error.",
    'Every command exits with one of these codes, and each code means the same everywhere; the section of a command says when it uses which. With `--json` an error is printed to standard output too: `{ "error": { "code", "message", "hint", "problems" } }`; [troubleshooting](../troubleshooting.md#what-errors-mean) explains the codes.',
    table(["exit code", "meaning"], Object.entries(EXIT_MEANINGS)),
    ...TOPICS.flatMap(({ title, commands: listed }) => [
      `**${title}**`,
      bullets(
        listed.map(({ name, summary }) => `[\`saga ${name}\`](#saga-${name}): ${prose(summary)}`),
      ),
    ]),
    ...commands.flatMap((command) => section(command, "saga")),
  );
}

export const commandsToShow = (): Promise<Command[]> =>
  Promise.all(
    COMMANDS.map(async ({ name }) => (await LOADERS[name]()).build(new CommandBuilder(NO_IO))),
  );

function section(command: Command, parent: string): string[] {
  const name = `${parent} ${command.name()}`;
  const { examples, exits } = helpOf(command);
  const own = [
    `${parent === "saga" ? "##" : "###"} ${name}`,
    prose(command.description()),
    fence("text", usageOf(command, name)),
    table(["argument", "what it is"], command.registeredArguments.map(argumentRow)),
    table(["option", "what it does"], command.options.filter(isShown).map(optionRow)),
    table(
      ["exit code", "when"],
      Object.entries(exits).map(([number, when]) => [number, when]),
    ),
    `Examples:\n\n${fence("text", examples.join("\n"))}`,
  ];
  return [
    ...own.filter((part) => part !== ""),
    ...command.commands.flatMap((child) => section(child, name)),
  ];
}

function usageOf(command: Command, name: string): string {
  const words = command.registeredArguments.map(argumentText);
  const options = command.options.some(isShown) ? ["[options]"] : [];
  const children = command.commands.map((child) => child.name()).join("|");
  const below = children === "" ? [] : [`${name} ${children} …`];
  return [
    ...(doesSomething(command) ? [[name, ...options, ...words].join(" ")] : []),
    ...below,
  ].join("\n");
}

/** False for commands that only group subcommands. Commander has no public property for it. */
const doesSomething = (command: Command): boolean =>
  Boolean(Reflect.get(command, "_actionHandler"));

function argumentText(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? "..." : ""}`;
  return argument.required ? `<${name}>` : `[${name}]`;
}

const argumentRow = (argument: Argument): string[] => [
  code(argumentText(argument)),
  argument.description + choicesOf(argument.argChoices),
];

const optionRow = (option: Option): string[] => [
  code(option.flags),
  option.description +
    choicesOf(option.argChoices) +
    (option.mandatory ? "; required" : "") +
    (typeof option.defaultValue === "number" ? ` (default ${option.defaultValue})` : ""),
];

const choicesOf = (choices: readonly string[] | undefined): string =>
  choices === undefined ? "" : `: ${choices.map(code).join(", ")}`;

const isShown = ({ hidden, short, long }: Option): boolean =>
  !hidden && !COMMON.some((flag) => flag === short || flag === long);

/** Commands are built to be read, never run. */
const NO_IO: Io = {
  cwd: "/",
  env: {},
  program: [],
  isTerminal: false,
  hasColour: false,
  hasErrorColour: false,
  writeOut: () => undefined,
  writeError: () => undefined,
  readInput: async () => "",
  ask: async () => "",
  untilStopped: () => new AbortController().signal,
  continueOnError: () => undefined,
};
