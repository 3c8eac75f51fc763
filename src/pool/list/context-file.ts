// What agents of the pool are told before and after a task, by its label: a TOML file in the
// project, under version control. Without one nothing is added; a wrong one is an error with its line.

import * as z from "zod";
import { SagaError, type Problem } from "../../errors.ts";
import { readProblem, readTextIfThere } from "../../machine/files/files.ts";
import { lineOfKey, parseToml } from "../../store/project/config.ts";
import { explain } from "../../story/definition/explain-error.ts";
import { label } from "../../story/definition/fields.ts";

/** Empty where nothing is to be said. */
export interface TaskContext {
  readonly prologue: string;
  readonly epilogue: string;
}

/** By label; `default` is for tasks without one, and for labels without a section. */
export type ContextRules = ReadonlyMap<string, TaskContext>;

const contextSchema = z.record(
  z.string(),
  z.strictObject({ prologue: z.string().default(""), epilogue: z.string().default("") }),
);

const NOTHING: TaskContext = { prologue: "", epilogue: "" };

/** A label's section counts as a whole: what it leaves out is not taken from `default`. */
export const contextFor = (rules: ContextRules, taskLabel: string | undefined): TaskContext =>
  rules.get(taskLabel ?? "default") ?? rules.get("default") ?? NOTHING;

export function readContextFile(file: string): ContextRules {
  const { rules, problems } = judgeContext(file, textOf(file));
  if (problems.length === 0) return rules;
  throw new SagaError("bad-file", `The context file of the pool is not valid: ${told(problems)}`, {
    hint: "Correct the lines named here: sections are labels, each with a prologue, an epilogue or both.",
    problems,
  });
}

export interface JudgedContext {
  readonly rules: ContextRules;
  readonly problems: readonly Problem[];
}

export function judgeContext(file: string, text: string): JudgedContext {
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
  const fault = label.safeParse(name).error?.issues[0]?.message;
  if (fault === undefined) return [];
  const message = `The label ${JSON.stringify(name)} ${fault}.`;
  const line = lineOfKey(text, [name]) ?? lineOfKey(text, [JSON.stringify(name)]);
  return [{ file, line, severity: "error", message, fix: "Rename the section, and the label." }];
}

function textOf(file: string): string {
  try {
    return readTextIfThere(file) ?? "";
  } catch (error) {
    const fault = readProblem(error instanceof SagaError ? error.cause : error);
    throw new SagaError("bad-file", `The context file of the pool, ${file}, ${fault}.`, {
      hint: "Check what it is and who may read it, or name another with auto.context_config_path.",
      cause: error,
    });
  }
}

/** The first one is in the sentence too: that is all that some readers see. */
const told = ([first]: readonly Problem[]): string =>
  first === undefined ? "" : `${first.file}:${first.line ?? 1}: ${first.message}`;
