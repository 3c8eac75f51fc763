// Runs one command from its words to its exit code, and turns every error into the same form.

import { CommanderError, type Command } from "commander";
import { SagaError } from "../errors.ts";
import { Shell, type Build } from "./command.ts";
import type { Io } from "./io.ts";
import { readFault } from "../machine/files.ts";
import { describeError, jsonText, painter } from "./output.ts";
import type { CommandName } from "./table.ts";

/** A command is brought to life when it is named. */
export const LOADERS: Readonly<Record<CommandName, () => Promise<{ readonly build: Build }>>> = {
  init: () => import("./commands/init.ts"),
  new: () => import("./commands/new.ts"),
  stage: () => import("./commands/stage.ts"),
  list: () => import("./commands/list.ts"),
  show: () => import("./commands/show.ts"),
  validate: () => import("./commands/validate.ts"),
  journal: () => import("./commands/journal.ts"),
  run: () => import("./commands/run.ts"),
  sessions: () => import("./commands/sessions.ts"),
  attach: () => import("./commands/attach.ts"),
  logs: () => import("./commands/logs.ts"),
  status: () => import("./commands/status.ts"),
  dashboard: () => import("./commands/dashboard.ts"),
  stop: () => import("./commands/stop.ts"),
  resolve: () => import("./commands/resolve.ts"),
  verify: () => import("./commands/verify.ts"),
  accept: () => import("./commands/accept.ts"),
  reject: () => import("./commands/reject.ts"),
  merge: () => import("./commands/merge.ts"),
  epic: () => import("./commands/epic.ts"),
  auto: () => import("./commands/auto.ts"),
  task: () => import("./commands/task.ts"),
  "auto-worker": () => import("./commands/auto-worker.ts"),
  recover: () => import("./commands/recover.ts"),
  resume: () => import("./commands/resume.ts"),
  discard: () => import("./commands/discard.ts"),
  split: () => import("./commands/split.ts"),
  keep: () => import("./commands/keep.ts"),
  clean: () => import("./commands/clean.ts"),
  worker: () => import("./commands/worker.ts"),
  archive: () => import("./commands/archive.ts"),
  config: () => import("./commands/config.ts"),
  schema: () => import("./commands/schema.ts"),
  demo: () => import("./commands/demo.ts"),
  doctor: () => import("./commands/doctor.ts"),
  complete: () => import("./commands/complete.ts"),
};

export async function runCommand(
  name: CommandName,
  words: readonly string[],
  io: Io,
): Promise<number> {
  const shell = new Shell(io);
  try {
    const { build } = await LOADERS[name]();
    const command = build(shell);
    speakThrough(command, io, `saga ${command.name()}`);
    try {
      await command.parseAsync([...words], { from: "user" });
      return shell.exitCode;
    } catch (error) {
      if (!(error instanceof CommanderError)) throw error;
      if (error.exitCode === 0) return 0;
      return report(usageError(error, command, words), words, io);
    }
  } catch (error) {
    return report(known(error), words, io);
  }
}

function report(error: SagaError, words: readonly string[], io: Io): number {
  if (words.includes("--json")) {
    const { code, message, hint, problems } = error;
    io.writeOut(jsonText({ error: { code, message, hint, problems } }));
  } else io.writeError(describeError(error, painter(io.hasErrorColour), io.cwd));
  return error.code === "usage" ? 2 : 1;
}

/** What the system refuses is said in one sentence; anything else is our own fault. */
function known(error: unknown): SagaError {
  if (error instanceof SagaError) return error;
  const { code, path, stack } = error as NodeJS.ErrnoException;
  if (code !== undefined && path !== undefined) {
    return new SagaError("bad-file", `${path} ${readFault(error)}.`, {
      hint: "Check what it is and who may use it.",
      cause: error,
    });
  }
  return new SagaError("bug", `Something went wrong inside Saga: ${String(error)}`, {
    hint: `This is a fault of Saga. Please report it with this: ${stack ?? ""}`,
    cause: error,
  });
}

function usageError(error: CommanderError, command: Command, words: readonly string[]): SagaError {
  const named = commandNamed(command, words);
  const hint = `\`${named} --help\` shows how it is used.`;
  if (error.code === "commander.help") {
    const choices = command.commands.map((child) => child.name()).join(", ");
    return new SagaError("usage", `Say what: ${choices}.`, { hint });
  }
  const [first = "", ...more] = error.message.replace(/^error: /, "").split("\n");
  const given = words.filter((word) => !word.startsWith("-")).join(" ");
  const extra = error.code === "commander.excessArguments" ? ` (${given})` : "";
  const sentence = first.charAt(0).toUpperCase() + first.slice(1).replace(/\.$/, "");
  return new SagaError("usage", `${sentence}${extra}.`, { hint: [...more, hint].join(" ") });
}

/** `saga new story`, as far down as the words go. */
function commandNamed(command: Command, words: readonly string[]): string {
  const child = command.commands.find((one) => words.includes(one.name()));
  return child ? `${command.name()} ${child.name()}` : command.name();
}

/** Commander neither exits nor writes on its own. */
function speakThrough(command: Command, io: Io, name: string): void {
  command
    .name(name)
    .exitOverride()
    .configureOutput({
      writeOut: io.writeOut,
      writeErr: (text) => void text,
      outputError: () => undefined,
      getOutHelpWidth: () => 100,
      getOutHasColors: () => io.hasColour,
    });
  for (const child of command.commands) speakThrough(child, io, child.name());
}
