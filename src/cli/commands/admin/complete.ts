import type { Command } from "commander";
import { poolLocation } from "../../../tasks/location.ts";
import { SagaError } from "../../../errors.ts";
import { taskIdOf } from "../../../claude/tasks/file.ts";
import type { Environment } from "../../../machine/processes/environment.ts";
import { listNames } from "../../../machine/files/files.ts";
import { ifReadable } from "../../../machine/files/unreadable.ts";
import { loadSettings } from "../../../store/project/config.ts";
import { storyAndEpicIds } from "../../../store/project/find.ts";
import { openStore } from "../../../store/file-store.ts";
import { findProject, layoutOf } from "../../../store/project/layout.ts";
import { SETTINGS } from "../../../story/settings/settings.ts";
import { CommandBuilder, type Build } from "../../program/command.ts";
import {
  candidates,
  type Candidate,
  SCRIPTS,
  SHELLS,
  type KnownValues,
  type ShellName,
} from "../../program/completion.ts";
import { choicesFor } from "../../pick/choices.ts";
import { takesEveryStory } from "../../pick/applicable.ts";
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
      const found = candidates(commands, words, await knownValues(cwd, io.env));
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
async function knownValues(cwd: string, env: Environment): Promise<KnownValues> {
  const settings = SETTINGS.map((setting) => setting.key);
  const project = ifReadable(() => findProject(cwd));
  if (project === undefined) return { epics: [], fitting: () => [], settings, tasks: [] };
  const ids = ifReadable(() => storyAndEpicIds(layoutOf(project))) ?? { stories: [], epics: [] };
  const overview = await openStore(project)
    .overview()
    .catch(() => undefined);
  const fitting: KnownValues["fitting"] = (command, kind) => {
    if (command === "unarchive") return [...(overview?.archived ?? [])].map(unexplained);
    const choices = overview ? choicesFor(overview, command, kind) : [];
    if (!takesEveryStory(command) || kind === "epic") return choices;
    // Files that cannot be read have no state, but a person may want to look at them.
    const unread = ids.stories.filter((id) => overview?.stories.has(id) !== true);
    return [...choices, ...unread.map(unexplained)];
  };
  return { epics: ids.epics, fitting, settings, tasks: taskIds(project, env) };
}

const unexplained = (value: string): Candidate => ({ value, about: "" });

/** Reads file names only. */
const taskIds = (project: string, env: Environment): string[] =>
  ifReadable(() => {
    const { settings } = loadSettings(layoutOf(project));
    const { list } = poolLocation(settings, { project, env });
    return listNames(list).flatMap((name) => taskIdOf(name) ?? []);
  }) ?? [];
