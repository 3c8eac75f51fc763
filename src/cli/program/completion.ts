// Completion of a command line, and the shell scripts that ask for it. The scripts pass the typed words as
// arguments and never evaluate them, so nothing in them can run.

import type { Command } from "commander";
import { kindOfArgument, type NamedKind } from "./named-ids.ts";

export interface Candidate {
  readonly value: string;
  readonly about: string;
}

/** Values from the current project. */
export interface KnownValues {
  readonly epics: readonly string[];
  /** The stories and epics that fit a command, with their state and title. */
  readonly fitting: (command: string, kind: NamedKind) => readonly Candidate[];
  readonly settings: readonly string[];
  /** Of the pool's list. */
  readonly tasks: readonly string[];
}

/** The last word is the one being typed. */
export function candidates(
  commands: readonly Command[],
  words: readonly string[],
  known: KnownValues,
): Candidate[] {
  const typed = words.at(-1) ?? "";
  let command: Command | undefined;
  let children: readonly Command[] = commands;
  let position = 0;
  let wanted: string | undefined;
  for (const word of words.slice(0, -1)) {
    const option = command?.options.find((one) => one.long === word || one.short === word);
    const child = children.find((one) => one.name() === word);
    if (option) {
      wanted = option.required || option.optional ? (option.long ?? option.short) : undefined;
    } else if (wanted !== undefined) wanted = undefined;
    else if (child) [command, children, position] = [child, child.commands, 0];
    else position++;
  }
  return next().filter(({ value }) => value.startsWith(typed));

  function next(): Candidate[] {
    if (wanted !== undefined) return values(optionValues(command, wanted, known));
    if (typed.startsWith("-")) return command ? optionsOf(command) : [];
    return [
      ...children.map((child) => ({ value: child.name(), about: child.description() })),
      ...argumentCandidates(command, position, known),
    ];
  }
}

const values = (found: readonly string[]): Candidate[] =>
  found.map((value) => ({ value, about: "" }));

const optionsOf = (command: Command): Candidate[] => [
  ...command.options
    .filter(({ hidden }) => !hidden)
    .map(({ long, short, description }) => ({ value: long ?? short ?? "", about: description })),
  { value: "--help", about: "show this help" },
];

function optionValues(
  command: Command | undefined,
  flag: string,
  known: KnownValues,
): readonly string[] {
  if (flag === "--epic") return known.epics;
  // For `new story` and `new task` the candidates depend on the epic or story, which is not known yet.
  if (flag === "--blocked-by" && command?.name() === "add") return known.tasks;
  return command?.options.find((one) => one.long === flag)?.argChoices ?? [];
}

function argumentCandidates(
  command: Command | undefined,
  position: number,
  known: KnownValues,
): readonly Candidate[] {
  const last = command?.registeredArguments.at(-1);
  const argument = command?.registeredArguments[position] ?? (last?.variadic ? last : undefined);
  if (!command || !argument) return [];
  if (argument.argChoices) return values(argument.argChoices);
  const kind = kindOfArgument(argument.name());
  if (kind !== undefined) return known.fitting(pathOf(command), kind);
  switch (argument.name()) {
    case "task-id":
      return values(known.tasks);
    case "key":
      return values(known.settings);
    case "shell":
      return values(SHELLS);
    default:
      return [];
  }
}

/** `epic run` */
const pathOf = (command: Command): string =>
  command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;

export const SHELLS = ["bash", "zsh", "fish"] as const;
export type ShellName = (typeof SHELLS)[number];

export const SCRIPTS: Readonly<Record<ShellName, string>> = {
  bash: `# Completion of saga for bash. Falls back to file names.
_saga() {
  local value about
  COMPREPLY=()
  while IFS=$'\\t' read -r value about; do
    COMPREPLY+=("$value")
  done < <(saga complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o bashdefault -o default -F _saga saga
`,
  zsh: `#compdef saga
# Completion of saga for zsh. Falls back to file names.
_saga() {
  local line
  local -a found
  for line in "\${(@f)$(saga complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    [[ -n "$line" ]] && found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
  done
  if (( \${#found} )); then _describe saga found; else _files; fi
}
if (( \${+functions[compdef]} )); then compdef _saga saga; fi
`,
  fish: `# Completion of saga for fish.
complete -c saga -f -a '(saga complete -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'
complete -c saga -n '__fish_seen_subcommand_from stage' -F
`,
};
