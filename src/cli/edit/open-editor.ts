// Opens a text in the person's editor, repeatedly until it is accepted or the person gives up.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SagaError } from "../../errors.ts";
import type { Io } from "../program/io.ts";
import { describeError, painter } from "../output/terminal.ts";

export interface EditRequest<T> {
  /** Name of the copy; editors detect the format by it. */
  readonly fileName: string;
  readonly text: string;
  /** Saves the new text, or throws an error whose problems name `file`. */
  readonly accept: (text: string, file: string) => Promise<T>;
}

/** Undefined if the text was not changed. */
export async function editText<T>(io: Io, request: EditRequest<T>): Promise<T | undefined> {
  const editor = editorOf(io);
  const folder = mkdtempSync(join(tmpdir(), "saga-edit-"));
  const file = join(folder, request.fileName);
  writeFileSync(file, request.text, { mode: 0o600 });
  for (;;) {
    runEditor(io, editor, file);
    const text = readFileSync(file, "utf8");
    if (text === request.text) {
      rmSync(folder, { recursive: true, force: true });
      return undefined;
    }
    try {
      const accepted = await request.accept(text.endsWith("\n") ? text : `${text}\n`, file);
      rmSync(folder, { recursive: true, force: true });
      return accepted;
    } catch (error) {
      if (!(error instanceof SagaError)) throw error;
      if (!(await wantsAnother(io, error))) throw withCopy(error, file);
    }
  }
}

export function editorOf({ env, isTerminal }: Pick<Io, "env" | "isTerminal">): string {
  const chosen = env["VISUAL"] || env["EDITOR"];
  if (chosen) return chosen;
  if (isTerminal) return "vi";
  throw new SagaError("usage", "No editor is set.", {
    hint: 'Set the variable EDITOR, or add an option such as `--set title="…"`.',
  });
}

/** Through a shell, as git does: people set `code --wait`. The file is passed as an argument. */
function runEditor(io: Io, editor: string, file: string): void {
  const { status, signal, error } = spawnSync("/bin/sh", ["-c", `${editor} "$1"`, "sh", file], {
    stdio: io.isTerminal ? "inherit" : ["ignore", "ignore", "inherit"],
    env: io.env,
    cwd: io.cwd,
  });
  if (status === 0) return;
  const how = error?.message ?? (signal ? `ended by ${signal}` : `exit ${status ?? "unknown"}`);
  throw new SagaError("program-failed", `The editor ${JSON.stringify(editor)} failed: ${how}.`, {
    hint: `Nothing was changed. Your text is in ${file}.`,
  });
}

async function wantsAnother(io: Io, error: SagaError): Promise<boolean> {
  if (!io.isTerminal) return false;
  io.writeError(describeError(error, painter(io.hasErrorColour), io.cwd));
  return /^(?:y(?:es)?)?$/i.test((await io.ask("Edit it again? [Y/n] ")).trim());
}

const withCopy = ({ code, message, problems, cause }: SagaError, file: string): SagaError =>
  new SagaError(code, message, {
    problems,
    hint: `Nothing was changed. Your text is in ${file}.`,
    cause,
  });
