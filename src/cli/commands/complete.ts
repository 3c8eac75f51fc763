import { RootCommand, script } from "@bomb.sh/tab";
import type { Command } from "commander";
import { SagaError } from "../../errors.ts";
import { findProject, layoutOf } from "../../store/layout.ts";
import { storyAndEpicIds } from "../../store/find.ts";
import { Shell, type Build } from "../command.ts";
import type { Io } from "../io.ts";
import { LOADERS } from "../program.ts";
import { COMMANDS } from "../table.ts";

const SHELLS = ["bash", "zsh", "fish"];

export const build: Build = (shell) =>
  shell.action(
    shell
      .command("complete", "Print the completion script for a shell.", [
        'echo "source <(saga complete bash)" >> ~/.bashrc',
        'echo "source <(saga complete zsh)" >> ~/.zshrc',
        "saga complete fish > ~/.config/fish/completions/saga.fish",
      ])
      // The script calls back with `saga complete -- <words so far>`.
      .argument("[shell]", SHELLS.join(", "))
      .argument("[words...]", "the words so far, behind --"),
    async ({ io, cwd }, words) => {
      const [first = "", ...rest] = words;
      if (SHELLS.includes(first) && rest.length === 0) {
        const text = printed(() => script(first, "saga", "saga"));
        return { json: { script: text }, text: () => text };
      }
      if (words.length === 0) {
        throw new SagaError("usage", `Name a shell: ${SHELLS.join(", ")}.`, {
          hint: "`saga complete --help` shows where its script goes.",
        });
      }
      const root = await commandTree(io, cwd);
      const text = printed(() => root.parse(words));
      return { json: { completions: text.trimEnd().split("\n") }, text: () => text };
    },
  );

async function commandTree(io: Io, cwd: string): Promise<RootCommand> {
  const root = new RootCommand();
  const project = findProject(cwd);
  const ids =
    project === undefined ? { stories: [], epics: [] } : storyAndEpicIds(layoutOf(project));
  for (const { name } of COMMANDS) {
    const { build: buildOne } = await LOADERS[name]();
    addTo(root, buildOne(new Shell(io)), name, ids);
  }
  return root;
}

interface Ids {
  readonly stories: readonly string[];
  readonly epics: readonly string[];
}

function addTo(root: RootCommand, command: Command, name: string, ids: Ids): void {
  const added = root.command(name, command.description());
  const choices =
    (values: readonly string[]) => (complete: (value: string, about: string) => void) => {
      for (const value of values) complete(value, "");
    };
  for (const option of command.options) {
    const long = option.long?.slice(2) ?? option.short?.slice(1) ?? "";
    const values = long === "epic" ? ids.epics : (option.argChoices ?? []);
    const takesValue = option.required || option.optional;
    if (takesValue) added.option(long, option.description, choices(values));
    else added.option(long, option.description);
  }
  for (const argument of command.registeredArguments) {
    const values = argument.argChoices ?? valuesOf(argument.name(), name, ids);
    added.argument(argument.name(), choices(values), argument.variadic);
  }
  for (const child of command.commands) addTo(root, child, `${name} ${child.name()}`, ids);
}

function valuesOf(argument: string, command: string, ids: Ids): readonly string[] {
  if (argument === "story" || argument === "stories") return ids.stories;
  if (argument === "id" && command === "show") return [...ids.stories, ...ids.epics];
  if (argument === "shell") return SHELLS;
  return [];
}

/** The completion library speaks to the console; here it is overheard instead. */
/* oxlint-disable no-console */
function printed(act: () => void): string {
  const lines: string[] = [];
  const original = console.log;
  console.log = (line: string) => void lines.push(line);
  try {
    act();
  } finally {
    console.log = original;
  }
  return `${lines.join("\n")}\n`;
}
