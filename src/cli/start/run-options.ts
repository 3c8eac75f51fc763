// The limits of a worker, as options of every command that starts one.

import { type Command, InvalidArgumentError, Option } from "commander";
import type { Settings } from "../../story/settings/settings.ts";
import type { Exits } from "../program/command.ts";
import type { WorkRequest } from "../../worker/context.ts";
import { wholeNumber } from "../program/parse-number.ts";

export interface RunOptions {
  readonly maxCycles?: number;
  readonly maxTime?: number;
  readonly maxCost?: number | undefined;
  readonly model?: string;
  /** The rest of the budget of an epic's run. Not for people: the run passes it to its workers. */
  readonly epicBudget?: number | undefined;
}

export const WORKER_EXITS: Exits = {
  1: "the story failed or was stopped",
  2: "a limit was reached: agent runs, time, cost or usage",
  3: "the agent asks a question",
  5: "the story is done, but its branch could not be pushed",
};

/** `saga run` itself returns at once. */
export const FOREGROUND_EXITS: Exits = {
  1: `refused; with --foreground also: ${WORKER_EXITS[1]}`,
  2: `with --foreground: ${WORKER_EXITS[2]}`,
  3: `with --foreground: ${WORKER_EXITS[3]}`,
  5: `with --foreground: ${WORKER_EXITS[5]}`,
};

export const withRunOptions = (
  command: Command,
  maxCost = "cost limit in US dollars (default 25)",
): Command =>
  command
    .option("--max-cycles <n>", "maximum number of Claude Code runs (default 10)", wholeNumber(1))
    .option("--max-time <minutes>", "time limit in minutes (default 60)", positive)
    .option("--max-cost <usd>", maxCost, positive)
    .option("--model <name>", "model (default opus)", nonEmpty);

/** What the command is told that runs in a session. Not for people. */
export const withSessionOptions = (command: Command): Command =>
  command
    .addOption(new Option("--session <name>", "the tmux session it runs in").hideHelp())
    .addOption(new Option("--output-file <path>", "the file with the session's output").hideHelp())
    .addOption(new Option("--environment <path>", "a file with the environment").hideHelp());

/** Of the hidden command that runs in the session. */
export const epicBudgetOption = new Option(
  "--epic-budget <usd>",
  "the rest of the budget of the epic's run",
)
  .argParser(positive)
  .hideHelp();

/** Flags first, then the project's settings. */
export const limitsOf = (
  options: RunOptions,
  { run, claude }: Settings,
): Pick<WorkRequest, "maxCycles" | "maxMs" | "maxCostUsd" | "epicBudgetUsd" | "model"> => ({
  maxCycles: options.maxCycles ?? run.maxCycles,
  maxMs: (options.maxTime ?? run.maxMinutes) * 60_000,
  maxCostUsd: options.maxCost ?? (run.maxCost || undefined),
  epicBudgetUsd: options.epicBudget,
  model: options.model ?? claude.model,
});

/** The same options as arguments for the worker's command line. */
export const argumentsOf = (options: RunOptions): string[] =>
  [
    ["--max-cycles", options.maxCycles],
    ["--max-time", options.maxTime],
    ["--max-cost", options.maxCost],
    ["--model", options.model],
    ["--epic-budget", options.epicBudget],
  ].flatMap(([flag, value]) => (value === undefined ? [] : [`${flag}=${value}`]));

function nonEmpty(text: string): string {
  if (text.trim() !== "") return text;
  throw new InvalidArgumentError("It is empty.");
}

function positive(text: string): number {
  const value = Number(text);
  if (Number.isFinite(value) && value > 0) return value;
  throw new InvalidArgumentError("It must be a number above 0.");
}
