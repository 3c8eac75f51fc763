// Throw-away projects on the real disk, and the command line run inside this process.

import { execFileSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { runCommand } from "../../src/cli/program/all-commands.ts";
import { commandNamed } from "../../src/cli/program/table.ts";
import type { Environment } from "../../src/machine/processes/environment.ts";
import { root } from "./programs.ts";

export interface Project {
  readonly path: string;
  /** Writes a file of the project: text as it is, anything else as JSON. */
  readonly write: (file: string, content: unknown) => string;
  /** Makes a link; a relative target counts from the link's own folder. */
  readonly link: (file: string, target: string) => void;
  readonly read: (file: string) => string;
  readonly json: (file: string) => Record<string, unknown>;
  /** Runs `saga` in this process. The first argument may be several words; each of the others is one. */
  readonly saga: (...words: string[]) => Promise<CommandOutput>;
  readonly sagaWithInput: (input: string, ...words: string[]) => Promise<CommandOutput>;
  /** Runs `saga` in a terminal of this width. */
  readonly sagaInColumns: (columns: number, ...words: string[]) => Promise<CommandOutput>;
  /** Runs `saga` with exactly this environment. */
  readonly sagaWithEnv: (env: Environment, ...words: string[]) => Promise<CommandOutput>;
  /** The same, until it is stopped. */
  readonly sagaUntil: (
    given: { readonly stop: AbortSignal; readonly env: Environment },
    ...words: string[]
  ) => Promise<CommandOutput>;
  /** The same, with a person at the terminal who gives this answer. */
  readonly sagaAnswered: (
    given: {
      readonly answer: string;
      readonly env?: Environment;
      /** What they choose from a list. */
      readonly choice?: string;
    },
    ...words: string[]
  ) => Promise<CommandOutput>;
}

export interface CommandOutput {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Standard output, parsed. */
  readonly json: () => Record<string, unknown>;
}

/** A folder with an empty `.saga`, removed when the test ends. */
export function newProject(name = "project"): Project {
  const project = newFolder(name);
  project.write(".saga/config.toml", "");
  return project;
}

export function newFolder(name = "folder"): Project {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "saga-test-")));
  const path = join(home, name);
  mkdirSync(path);
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const read = (file: string): string => readFileSync(join(path, file), "utf8");
  return {
    path,
    read,
    json: (file) => JSON.parse(read(file)) as Record<string, unknown>,
    write(file, content) {
      const target = join(path, file);
      mkdirSync(dirname(target), { recursive: true });
      const text =
        typeof content === "string" ? content : `${JSON.stringify(content, undefined, 2)}\n`;
      writeFileSync(target, text);
      return target;
    },
    link(file, target) {
      mkdirSync(dirname(join(path, file)), { recursive: true });
      symlinkSync(target, join(path, file));
    },
    saga: (...words) => saga(path, words),
    sagaWithInput: (input, ...words) => saga(path, words, { input }),
    sagaInColumns: (columns, ...words) => saga(path, words, { columns }),
    sagaWithEnv: (env, ...words) => saga(path, words, { env }),
    sagaUntil: (given, ...words) => saga(path, words, given),
    sagaAnswered: (given, ...words) => saga(path, words, given),
  };
}

async function saga(
  cwd: string,
  words: readonly string[],
  {
    input = "",
    env,
    answer,
    choice,
    stop,
    columns,
  }: {
    readonly input?: string;
    readonly env?: Environment;
    readonly answer?: string;
    readonly choice?: string;
    readonly stop?: AbortSignal;
    readonly columns?: number;
  } = {},
): Promise<CommandOutput> {
  let stdout = "";
  let stderr = "";
  const [line = "", ...more] = words;
  const [word = "", ...rest] = [...line.split(" "), ...more];
  const name = commandNamed(word);
  if (name === undefined) throw new Error(`There is no command ${word}.`);
  const exitCode = await runCommand(name, rest, {
    cwd,
    env: env ?? { PATH: process.env["PATH"], HOME: cwd },
    program: [process.execPath, join(root, "dist/cli/main.cjs")],
    isTerminal: answer !== undefined,
    columns,
    hasColour: false,
    hasErrorColour: false,
    writeOut: (text) => void (stdout += text),
    writeError: (text) => void (stderr += text),
    readInput: async () => input,
    ask: async (question) => {
      stderr += question;
      return answer ?? "";
    },
    choose: async (question, choices) => {
      stderr += `${question}\n${choices.map(({ value, about }) => `${value}  ${about}\n`).join("")}`;
      return choices.find(({ value }) => value === choice)?.value;
    },
    untilStopped: () => stop ?? new AbortController().signal,
    continueOnError: () => undefined,
  });
  return { exitCode, stdout, stderr, json: () => JSON.parse(stdout) as Record<string, unknown> };
}

/** Every file below a folder with its content, to check that nothing changed. */
export function snapshot(path: string): string {
  return execFileSync(
    "find",
    [path, "-type", "f", "-not", "-path", "*/leases/*", "-exec", "md5sum", "{}", "+"],
    {
      encoding: "utf8",
    },
  )
    .split("\n")
    .toSorted()
    .join("\n");
}

/** Valid folder names that careless programs cannot handle. */
export const ODD_NAMES: readonly (readonly [what: string, name: string])[] = [
  ["spaces", "my new project"],
  ["quotes", `it's a "project"`],
  ["a command substitution", "a$(touch pwned)"],
  ["a line break", "two\nlines"],
  ["other alphabets", "проект-計画-é"],
  ["a terminal escape", "red\u001b[31m"],
];

export const aStory = (
  id: string,
  more: Record<string, unknown> = {},
): Record<string, unknown> => ({
  id,
  title: `Title of ${id}`,
  description: `What ${id} is about.`,
  ...more,
});

export const aTask = (id: string, more: Record<string, unknown> = {}): Record<string, unknown> => ({
  id,
  subject: `Do ${id}`,
  description: `How to do ${id}.`,
  status: "pending",
  blockedBy: [],
  ...more,
});

export const anEpic = (id: string, children: unknown[], more: Record<string, unknown> = {}) => ({
  id,
  title: `Title of ${id}`,
  description: `What ${id} is about.`,
  children,
  ...more,
});
