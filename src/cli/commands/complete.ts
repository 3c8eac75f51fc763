import type { Command } from "commander";
import { SagaError } from "../../errors.ts";
import { storyAndEpicIds } from "../../store/find.ts";
import { findProject, layoutOf } from "../../store/layout.ts";
import { SETTINGS } from "../../story/settings.ts";
import { Shell, type Build } from "../command.ts";
import { candidates, SCRIPTS, SHELLS, type KnownValues, type ShellName } from "../completion.ts";
import { plain } from "../output.ts";
import { LOADERS } from "../program.ts";
import { COMMANDS } from "../table.ts";

export const build: Build = (shell) => {
  const command = shell
    .command("complete", "Print the completion script for a shell.", [
      'echo "source <(saga complete bash)" >> ~/.bashrc',
      'echo "source <(saga complete zsh)" >> ~/.zshrc',
      "saga complete fish > ~/.config/fish/completions/saga.fish",
    ])
    // The scripts call back with `saga complete -- <words so far>`.
    .argument("[shell]", SHELLS.join(", "))
    .argument("[words...]");
  return shell.action(command, async ({ io, cwd }, words) => {
    if (isQuestion(command)) {
      const builds = await Promise.all(COMMANDS.map(({ name }) => LOADERS[name]()));
      const commands = builds.map((one) => one.build(new Shell(io)));
      const found = candidates(commands, words, knownValues(cwd));
      return {
        json: { candidates: found },
        text: () => found.map(({ value, about }) => `${plain(value)}\t${plain(about)}\n`).join(""),
      };
    }
    const [name] = words;
    const script = SCRIPTS[name as ShellName];
    if (words.length !== 1 || script === undefined) {
      throw new SagaError("usage", `Name one shell: ${SHELLS.join(", ")}.`, {
        hint: "`saga complete --help` shows where its script goes.",
      });
    }
    return { json: { script }, text: () => script };
  });
};

/** Commander takes the two dashes away from the words; the raw ones still have them. */
const isQuestion = (command: Command): boolean =>
  (command as unknown as { rawArgs: string[] }).rawArgs.includes("--");

/** A project that cannot be read has nothing to offer: completion never complains. */
function knownValues(cwd: string): KnownValues {
  const settings = SETTINGS.map((setting) => setting.key);
  try {
    const project = findProject(cwd);
    const ids = project === undefined ? undefined : storyAndEpicIds(layoutOf(project));
    return { stories: [], epics: [], ...ids, settings };
  } catch {
    return { stories: [], epics: [], settings };
  }
}
