// What every command has in common: `--json`, `-C`, examples in its help, and one way to answer.

import { Command, Help as CommanderHelp, type HelpConfiguration } from "commander";
import { statSync } from "node:fs";
import { resolve } from "node:path";
import { SagaError } from "../../errors.ts";
import { openStore } from "../../store/file-store.ts";
import { findProject, layoutOf, requireProject } from "../../store/project/layout.ts";
import type { Share, Store } from "../../store/store.ts";
import type { ExitCode } from "../../story/state/exit-codes.ts";
import type { Io } from "./io.ts";
import { kindOfArgument, resolveId, withSuggestion, type NamedWord } from "./named-ids.ts";
import { jsonText, painter, type Paint } from "../output/terminal.ts";

/** What a command answers, for programs and for people. */
export interface CommandResult {
  readonly json: unknown;
  readonly text: (paint: Paint) => string;
  /** Default 0. */
  readonly exitCode?: ExitCode;
}

export interface CommonOptions {
  readonly json?: boolean;
  readonly C?: string;
}

/** What a command receives besides its arguments and options. */
export interface CommandContext {
  readonly io: Io;
  readonly cwd: string;
  /** `env`: for a session, which gets the environment of the person's command in a file. */
  readonly openProject: (env?: Io["env"]) => Store;
}

type CommandAction = (
  context: CommandContext,
  words: string[],
  options: never,
) => Promise<CommandResult>;

/** What happens before and after a command that names stories, on a member of a fleet. */
export type WithSharedStory = (
  named: {
    readonly command: string;
    readonly stories: readonly string[];
    readonly store: Store;
    readonly io: Io;
  },
  act: () => Promise<CommandResult>,
) => Promise<CommandResult>;

/** How commands that start work or decide about it reach the fleet of their project. */
export interface FleetSeam {
  readonly shareOf: ShareOf;
  readonly withSharedStory: WithSharedStory;
}

/** Commands that only look have none: they see the leases of this machine, and connect to nothing. */
export type ShareOf = (place: { readonly project: string; readonly env: Io["env"] }) => Share;

/** Each file in `commands` exports one. */
export type Build = (builder: CommandBuilder) => Command;

/** Exit codes that need a more precise meaning than `EXIT_MEANINGS`. Wrong usage is the same everywhere. */
export type Exits = Readonly<Partial<Record<Exclude<ExitCode, 0 | 64>, string>>>;

interface Help {
  readonly examples: readonly string[];
  readonly exits: Exits;
}

const HELP = new WeakMap<Command, Help>();

/** What a command's help shows after its options. */
export const helpOf = (command: Command): Help => HELP.get(command) ?? { examples: [], exits: {} };

const defaults = new CommanderHelp();

const HELP_TEXTS: HelpConfiguration = {
  optionDescription: (option) =>
    `${defaults.optionDescription(option)}${option.mandatory ? " (required)" : ""}`,
  subcommandDescription: (command) =>
    command.name() === "help"
      ? "Show the help of one of these commands."
      : defaults.subcommandDescription(command),
};

export class CommandBuilder {
  readonly io: Io;
  private readonly fleet: FleetSeam | undefined;
  exitCode = 0;

  constructor(io: Io, fleet?: FleetSeam) {
    this.io = io;
    this.fleet = fleet;
  }

  command(name: string, about: string, examples: readonly string[], exits: Exits = {}): Command {
    const command = new Command(name)
      .description(about)
      .option("--json", "print JSON")
      .option("-C <folder>", "run as if started in this folder")
      .helpOption("-h, --help", "show this help")
      .configureHelp(HELP_TEXTS)
      .addHelpText("after", `\nExamples:\n${examples.map((line) => `  ${line}`).join("\n")}`)
      .addHelpText("after", exitLines(exits));
    HELP.set(command, { examples, exits });
    return command;
  }

  /** Commander passes the arguments, then the options, then the command. */
  action(command: Command, act: CommandAction): Command {
    return command.action(async (...passed: unknown[]) => {
      const options = command.optsWithGlobals<CommonOptions & { readonly epic?: unknown }>();
      const cwd = resolve(this.io.cwd, options.C ?? ".");
      requireFolder(cwd);
      const resolved = resolveWords(command, passed.slice(0, -2), cwd);
      const context: CommandContext = {
        io: this.io,
        cwd,
        openProject: (env) => this.openProject(requireProject(cwd), env),
      };
      const run = (): Promise<CommandResult> => act(context, resolved.words, options as never);
      const result = await this.withSharedStories(command, resolved.stories, context, run).catch(
        (error: unknown) => {
          throw resolved.explain(
            error,
            typeof options.epic === "string" ? options.epic : undefined,
          );
        },
      );
      this.print(result, options.json ?? false);
    });
  }

  private openProject(project: string, env: Io["env"] = this.io.env): Store {
    return openStore(project, Date.now, this.fleet?.shareOf({ project, env }));
  }

  private withSharedStories(
    command: Command,
    stories: readonly string[],
    { io, openProject }: CommandContext,
    act: () => Promise<CommandResult>,
  ): Promise<CommandResult> {
    if (this.fleet === undefined || stories.length === 0) return act();
    const name = command.name().replace(/^saga /, "");
    return this.fleet.withSharedStory({ command: name, stories, store: openProject(), io }, act);
  }

  private print({ json, text, exitCode = 0 }: CommandResult, asJson: boolean): void {
    // A command that printed JSON while it ran (`logs -f`) has none left to print.
    if (json !== undefined || !asJson) {
      this.io.writeOut(asJson ? jsonText(json) : text(painter(this.io.hasColour)));
    }
    this.exitCode = exitCode;
  }
}

interface ResolvedWords {
  /** Short forms are replaced by full ids. */
  readonly words: string[];
  /** The ids of stories among them. */
  readonly stories: readonly string[];
  /** Adds a suggestion to an error about an unknown id. */
  readonly explain: (error: unknown, epic: string | undefined) => unknown;
}

function resolveWords(command: Command, passed: readonly unknown[], cwd: string): ResolvedWords {
  const project = findProject(cwd);
  if (project === undefined)
    return { words: stringsIn(passed), stories: [], explain: (error) => error };
  const at = layoutOf(project);
  const named: NamedWord[] = [];
  const words = command.registeredArguments.flatMap((argument, index) => {
    const kind = kindOfArgument(argument.name());
    const own = stringsIn([passed[index]]);
    if (kind === undefined) return own;
    const ids = own.map((word) => resolveId(at, kind, word));
    named.push(...ids.map((word) => ({ kind, word })));
    return ids;
  });
  const explain = (error: unknown, epic: string | undefined): unknown => {
    const all = epic === undefined ? named : [...named, { kind: "epic" as const, word: epic }];
    return withSuggestion(error, at, all, command.name().replace(/^saga /, ""));
  };
  const stories = named.flatMap(({ kind, word }) => (kind === "story" ? [word] : []));
  return { words, stories, explain };
}

const stringsIn = (values: readonly unknown[]): string[] =>
  values.flat().filter((value): value is string => typeof value === "string");

function exitLines(exits: Exits): string {
  const lines = Object.entries(exits).map(([code, when]) => `  ${code}  ${when}`);
  return lines.length === 0 ? "" : `\nExit codes other than 0:\n${lines.join("\n")}`;
}

function requireFolder(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory()) return;
  const sentence = found ? `${path} is not a folder.` : `There is no folder ${path}.`;
  throw new SagaError("not-found", sentence, { hint: "Check the path after -C." });
}
