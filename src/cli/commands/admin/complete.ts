import type { Command } from "commander";
import { poolLocation } from "../../../tasks/location.ts";
import { SagaError } from "../../../errors.ts";
import { taskIdOf } from "../../../claude/tasks/file.ts";
import type { Environment } from "../../../machine/processes/environment.ts";
import { listNames } from "../../../machine/files/files.ts";
import { loadSettings } from "../../../store/project/config.ts";
import { storyAndEpicIds } from "../../../store/project/find.ts";
import { findProject, layoutOf } from "../../../store/project/layout.ts";
import { SETTINGS } from "../../../story/settings/settings.ts";
import { CommandBuilder, type Build } from "../../program/command.ts";
import {
  candidates,
  SCRIPTS,
  SHELLS,
  type KnownValues,
  type ShellName,
} from "../../program/completion.ts";
import { plain } from "../../output/terminal.ts";
import { LOADERS } from "../../program/all-commands.ts";
import { COMMANDS } from "../../program/table.ts";

export const build: Build = (builder) => {
  const command = builder
    .command("complete", "Print the completion script for a shell.", [
      'echo "source <(saga complete bash)" >> ~/.bashrc',
      'echo "source <(saga complete zsh)" >> ~/.zshrc',
      "saga complete fish > ~/.config/fish/completions/saga.fish",
    ])
    // The scripts call `saga complete -- <words so far>`.
    .argument("[shell]", SHELLS.join(", "))
    .argument("[words...]", "the words typed so far (used by the scripts)");
  return builder.action(command, async ({ io, cwd }, words) => {
    if (isCompletionRequest(command)) {
      const builds = await Promise.all(COMMANDS.map(({ name }) => LOADERS[name]()));
      const commands = builds.map((one) => one.build(new CommandBuilder(io)));
      const found = candidates(commands, words, knownValues(cwd, io.env));
      return {
        json: { candidates: found },
        text: () => found.map(({ value, about }) => `${plain(value)}\t${plain(about)}\n`).join(""),
      };
    }
    const [name] = words;
    const script = SCRIPTS[name as ShellName];
    if (words.length !== 1 || script === undefined) {
      throw new SagaError("usage", `Name a shell: ${SHELLS.join(", ")}.`, {
        hint: "`saga complete --help` shows how to install the script.",
      });
    }
    return { json: { script }, text: () => script };
  });
};

/** Commander removes `--` from the words; the raw arguments still have it. */
const isCompletionRequest = (command: Command): boolean =>
  (command as unknown as { rawArgs: string[] }).rawArgs.includes("--");

/** Completion never fails: an unreadable project has no values. */
function knownValues(cwd: string, env: Environment): KnownValues {
  const settings = SETTINGS.map((setting) => setting.key);
  const project = tryRead(() => findProject(cwd));
  if (project === undefined) return { stories: [], epics: [], settings, tasks: [] };
  const ids = tryRead(() => storyAndEpicIds(layoutOf(project)));
  return { stories: [], epics: [], ...ids, settings, tasks: taskIds(project, env) };
}

/** Reads file names only. */
const taskIds = (project: string, env: Environment): string[] =>
  tryRead(() => {
    const { settings } = loadSettings(layoutOf(project));
    const { list } = poolLocation(settings, { project, env });
    return listNames(list).flatMap((name) => taskIdOf(name) ?? []);
  }) ?? [];

function tryRead<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
