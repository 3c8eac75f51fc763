// What every command has in common: `--json`, `-C`, examples in its help, and one way to answer.

import { Command } from "commander";
import { statSync } from "node:fs";
import { resolve } from "node:path";
import { SagaError } from "../../errors.ts";
import { openStore } from "../../store/file-store.ts";
import { findProject, layoutOf, requireProject } from "../../store/project/layout.ts";
import type { Store } from "../../store/store.ts";
import type { ExitCode } from "../../story/state/exit-codes.ts";
import type { Io } from "./io.ts";
import { kindOfArgument, resolveId, withSuggestion, type NamedWord } from "./named-ids.ts";
import { jsonText, painter, type Paint } from "../output/terminal.ts";

/** The same answer for programs and for people. */
export interface CommandResult {
  readonly json: unknown;
  readonly text: (paint: Paint) => string;
  /** 0 when it is left out. */
  readonly exitCode?: ExitCode;
}

export interface CommonOptions {
  readonly json?: boolean;
  readonly C?: string;
}

/** What a command is given besides its own words. */
export interface CommandContext {
  readonly io: Io;
  readonly cwd: string;
  readonly openProject: () => Store;
}

type Act = (context: CommandContext, words: string[], options: never) => Promise<CommandResult>;

/** Adds a command to its parent, or makes the top one. */
export type Build = (builder: CommandBuilder) => Command;

/** When a command ends with which code, where that says more than `EXIT_MEANINGS`. Wrong usage is the same everywhere. */
export type Exits = Readonly<Partial<Record<Exclude<ExitCode, 0 | 64>, string>>>;

interface Help {
  readonly examples: readonly string[];
  readonly exits: Exits;
}

const HELP = new WeakMap<Command, Help>();

/** What the help of a command says behind its options. */
export const helpOf = (command: Command): Help => HELP.get(command) ?? { examples: [], exits: {} };

export class CommandBuilder {
  readonly io: Io;
  exitCode = 0;

  constructor(io: Io) {
    this.io = io;
  }

  command(name: string, about: string, examples: readonly string[], exits: Exits = {}): Command {
    const command = new Command(name)
      .description(about)
      .option("--json", "answer as JSON")
      .option("-C <folder>", "work as if started in this folder")
      .helpOption("-h, --help", "show this help")
      .addHelpText("after", `\nExamples:\n${examples.map((line) => `  ${line}`).join("\n")}`)
      .addHelpText("after", exitLines(exits));
    HELP.set(command, { examples, exits });
    return command;
  }

  /** Commander passes the arguments, then the options, then the command. */
  action(command: Command, act: Act): Command {
    return command.action(async (...given: unknown[]) => {
      const options = command.optsWithGlobals<CommonOptions & { readonly epic?: unknown }>();
      const cwd = resolve(this.io.cwd, options.C ?? ".");
      requireFolder(cwd);
      const named = namedWords(command, given.slice(0, -2), cwd);
      const context: CommandContext = {
        io: this.io,
        cwd,
        openProject: () => openStore(requireProject(cwd)),
      };
      const answer = await act(context, named.words, options as never).catch((error: unknown) => {
        throw named.explain(error, typeof options.epic === "string" ? options.epic : undefined);
      });
      this.answer(answer, options.json ?? false);
    });
  }

  private answer({ json, text, exitCode = 0 }: CommandResult, asJson: boolean): void {
    // What was said as it went on, like a log that is followed, is not said again.
    if (json !== undefined || !asJson) {
      this.io.writeOut(asJson ? jsonText(json) : text(painter(this.io.hasColour)));
    }
    this.exitCode = exitCode;
  }
}

interface NamedWords {
  /** With the ids that short forms mean. */
  readonly words: string[];
  /** An error about an id that is not there, with the one that was probably meant. */
  readonly explain: (error: unknown, epic: string | undefined) => unknown;
}

function namedWords(command: Command, given: readonly unknown[], cwd: string): NamedWords {
  const plainWords = given.flat().filter((word): word is string => typeof word === "string");
  const project = findProject(cwd);
  if (project === undefined) return { words: plainWords, explain: (error) => error };
  const at = layoutOf(project);
  const named: NamedWord[] = [];
  const words = command.registeredArguments.flatMap((argument, index) => {
    const kind = kindOfArgument(argument.name());
    const own = [given[index]].flat().filter((word): word is string => typeof word === "string");
    if (kind === undefined) return own;
    const ids = own.map((word) => resolveId(at, kind, word));
    named.push(...ids.map((word) => ({ kind, word })));
    return ids;
  });
  const explain = (error: unknown, epic: string | undefined): unknown => {
    const all = epic === undefined ? named : [...named, { kind: "epic" as const, word: epic }];
    return withSuggestion(error, at, all, command.name().replace(/^saga /, ""));
  };
  return { words, explain };
}

function exitLines(exits: Exits): string {
  const lines = Object.entries(exits).map(([code, when]) => `  ${code}  ${when}`);
  return lines.length === 0 ? "" : `\nExit codes, besides 0 for done:\n${lines.join("\n")}`;
}

function requireFolder(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory()) return;
  const sentence = found ? `${path} is not a folder.` : `There is no folder ${path}.`;
  throw new SagaError("not-found", sentence, { hint: "Correct what stands behind -C." });
}
