// Lets a person at a terminal choose what they did not name: `saga logs` asks which story. In scripts, and with --json,
// a missing argument stays an error.

import { SagaError } from "../../errors.ts";
import { openStore } from "../../store/file-store.ts";
import { findProject } from "../../store/project/layout.ts";
import { kindOfArgument, type NamedKind } from "../program/named-ids.ts";
import type { Io } from "../program/io.ts";
import { choicesFor } from "./choices.ts";

export interface MissingArgument {
  /** As in its help: `story`. */
  readonly name: string;
  /** The command without `saga`: `epic run`. */
  readonly command: string;
  readonly cwd: string;
}

/** Returns the word to use. Undefined if a person cannot be asked for this argument. */
export async function askForArgument(
  io: Io,
  missing: MissingArgument,
): Promise<string | undefined> {
  if (!io.isTerminal) return undefined;
  const kind = kindOfArgument(missing.name);
  if (kind !== undefined) return chooseNamed(io, kind, missing);
  const question = QUESTIONS[missing.name];
  if (question === undefined) return undefined;
  const text = (await io.ask(`${question} `)).trim();
  if (text === "") throw nothingChosen();
  return text;
}

/** Texts that a person can write in one line. */
const QUESTIONS: Readonly<Record<string, string>> = {
  answer: "Your answer:",
  why: "What has to change?",
  text: "Your note:",
};

export async function chooseNamed(
  io: Io,
  kind: NamedKind,
  { command, cwd }: Pick<MissingArgument, "command" | "cwd">,
): Promise<string | undefined> {
  const project = findProject(cwd);
  if (project === undefined) return undefined;
  const choices = choicesFor(await openStore(project).overview(), command, kind);
  if (choices.length === 0) throw noneApplicable(command, kind);
  const choose = io.choose ?? (await import("./choose.ts")).choose;
  const what = kind === "epic" ? "epic" : kind === "story" ? "story" : "story or epic";
  const chosen = await choose(`saga ${command}: which ${what}?`, choices);
  if (chosen === undefined) throw nothingChosen();
  return chosen;
}

const noneApplicable = (command: string, kind: NamedKind): SagaError =>
  new SagaError(
    "not-found",
    `\`saga ${command}\` applies to no ${kind === "epic" ? "epic" : "story"} right now.`,
    { hint: "`saga status` shows what you can do next; `saga list` lists everything." },
  );

const nothingChosen = (): SagaError =>
  new SagaError("stopped", "Nothing was chosen.", { hint: "Nothing was changed." });

/** The name in Commander's message about a missing argument. */
export const missingName = (message: string): string | undefined =>
  /missing required argument '(?<name>[^']+)'/.exec(message)?.groups?.["name"];

/** After `--` every word is an argument, whatever the options before it would take. */
export const withArgument = (words: readonly string[], value: string): string[] =>
  words.includes("--") ? [...words, value] : [...words, "--", value];
