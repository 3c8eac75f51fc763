// What every command has in common: `--json`, `-C`, examples in its help, and one way to answer.

import { Command } from "commander";
import { statSync } from "node:fs";
import { resolve } from "node:path";
import { SagaError } from "../errors.ts";
import { openStore } from "../store/file-store.ts";
import { requireProject } from "../store/layout.ts";
import type { Store } from "../store/store.ts";
import type { ExitCode } from "../story/exit-codes.ts";
import type { Io } from "./io.ts";
import { jsonText, painter, type Paint } from "./output.ts";

/** The same answer for programs and for people. */
export interface Answer {
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
export interface Session {
  readonly io: Io;
  readonly cwd: string;
  readonly openProject: () => Store;
}

type Act = (session: Session, words: string[], options: never) => Promise<Answer>;

/** Adds a command to its parent, or makes the top one. */
export type Build = (shell: Shell) => Command;

/** When a command ends with which code, where that says more than `EXIT_MEANINGS`. Wrong usage is the same everywhere. */
export type Exits = Readonly<Partial<Record<Exclude<ExitCode, 0 | 64>, string>>>;

interface Help {
  readonly examples: readonly string[];
  readonly exits: Exits;
}

const HELP = new WeakMap<Command, Help>();

/** What the help of a command says behind its options. */
export const helpOf = (command: Command): Help => HELP.get(command) ?? { examples: [], exits: {} };

export class Shell {
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
      .showSuggestionAfterError(true)
      .addHelpText("after", `\nExamples:\n${examples.map((line) => `  ${line}`).join("\n")}`)
      .addHelpText("after", exitLines(exits));
    HELP.set(command, { examples, exits });
    return command;
  }

  /** Commander passes the arguments, then the options, then the command. */
  action(command: Command, act: Act): Command {
    return command.action(async (...given: unknown[]) => {
      const options = command.optsWithGlobals<CommonOptions>();
      const words = given.slice(0, -2).flat() as (string | undefined)[];
      const cwd = resolve(this.io.cwd, options.C ?? ".");
      requireFolder(cwd);
      const session: Session = {
        io: this.io,
        cwd,
        openProject: () => openStore(requireProject(cwd)),
      };
      const named = words.filter((word) => word !== undefined);
      this.answer(await act(session, named, options as never), options.json ?? false);
    });
  }

  private answer({ json, text, exitCode = 0 }: Answer, asJson: boolean): void {
    // What was said as it went on, like a log that is followed, is not said again.
    if (json !== undefined || !asJson) {
      this.io.writeOut(asJson ? jsonText(json) : text(painter(this.io.hasColour)));
    }
    this.exitCode = exitCode;
  }
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
