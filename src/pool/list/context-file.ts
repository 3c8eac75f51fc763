// The context file: text for the pool's agents before and after a task, by its label. It is a TOML file in the project,
// under version control. It is optional; problems in it are errors with their line.

import * as z from "zod";
import { SagaError, type Problem } from "../../errors.ts";
import { readProblem, readTextIfThere } from "../../machine/files/files.ts";
import { lineOfKey, parseToml } from "../../store/project/config.ts";
import { explain } from "../../story/definition/explain-error.ts";
import { label } from "../../story/definition/fields.ts";

/** Each is empty if there is no text. */
export interface TaskContext {
  readonly prologue: string;
  readonly epilogue: string;
}

/** By label; `default` is for tasks without a label, and for labels without a section. */
export type ContextRules = ReadonlyMap<string, TaskContext>;

const contextSchema = z.record(
  z.string(),
  z.strictObject({ prologue: z.string().default(""), epilogue: z.string().default("") }),
);

const EMPTY: TaskContext = { prologue: "", epilogue: "" };

/** A label's section counts as a whole: missing text is not taken from `default`. */
export const contextFor = (rules: ContextRules, taskLabel: string | undefined): TaskContext =>
  rules.get(taskLabel ?? "default") ?? rules.get("default") ?? EMPTY;

export function readContextFile(file: string): ContextRules {
  const { rules, problems } = parseContext(file, textOf(file));
  if (problems.length === 0) return rules;
  throw new SagaError(
    "bad-file",
    `The context file of the pool is not valid: ${firstProblem(problems)}`,
    {
      hint: "Correct the lines named here: sections are labels, each with a prologue, an epilogue or both.",
      problems,
    },
  );
}

export interface ParsedContext {
  readonly rules: ContextRules;
  readonly problems: readonly Problem[];
}

export function parseContext(file: string, text: string): ParsedContext {
  const table = parseToml(file, text);
  if (table.problem) return { rules: new Map(), problems: [table.problem] };
  const parsed = contextSchema.safeParse(table.value);
  const badLabels = Object.keys(table.value ?? {}).flatMap((name) => badLabel(file, text, name));
  if (badLabels.length > 0) return { rules: new Map(), problems: badLabels };
  if (parsed.success) return { rules: new Map(Object.entries(parsed.data)), problems: [] };
  const problems = explain(parsed.error, table.value).map(
    ({ path, severity, message, fix }): Problem => ({
      file,
      line: lineOfKey(text, path),
      severity,
      message,
      fix: path.length === 1 ? "Write it as a section: [label]." : fix,
    }),
  );
  return { rules: new Map(), problems };
}

function badLabel(file: string, text: string, name: string): Problem[] {
  const problem = label.safeParse(name).error?.issues[0]?.message;
  if (problem === undefined) return [];
  const message = `The label ${JSON.stringify(name)} ${problem}.`;
  const line = lineOfKey(text, [name]) ?? lineOfKey(text, [JSON.stringify(name)]);
  return [{ file, line, severity: "error", message, fix: "Rename the section and the label." }];
}

function textOf(file: string): string {
  try {
    return readTextIfThere(file) ?? "";
  } catch (error) {
    const problem = readProblem(error instanceof SagaError ? error.cause : error);
    throw new SagaError("bad-file", `The context file of the pool, ${file}, ${problem}.`, {
      hint: "Check the file and its permissions, or set another with auto.context_config_path.",
      cause: error,
    });
  }
}

/** The message contains the first problem, because some readers only see the message. */
const firstProblem = ([first]: readonly Problem[]): string =>
  first === undefined ? "" : `${first.file}:${first.line ?? 1}: ${first.message}`;
