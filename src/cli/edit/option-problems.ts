// What is wrong with something new, said of the options that it was given with: the file that the store names was
// never written.

import type { Problem } from "../../errors.ts";

const OPTIONS: Readonly<Record<string, string>> = {
  title: "--title",
  subject: "--subject",
  description: "--description",
  activeForm: "--active-form",
  guidance: "--guidance",
  doneWhen: "--done-when",
  avoid: "--avoid",
  checks: "--check",
  writeFiles: "--write",
  blockedBy: "--blocked-by",
  labels: "--label",
  priority: "--priority",
  estimatedLines: "--lines",
  epic: "--epic",
};

/** "`children[2].blockedBy[0]` ("A b") may only …" is `"A b" may only …` of `--blocked-by`. */
const FIELD = /^`(?:[\w[\].]*\.)?(?<field>\w+?)(?:\[\d+\])?`(?: \((?<value>.*?)\))?(?= )/;

export function asOption(problem: Problem, file: string): Problem {
  if (problem.file !== file) return problem;
  const { field = "", value } = FIELD.exec(problem.message)?.groups ?? {};
  const option =
    OPTIONS[field] ?? (/ waits? for /.test(problem.message) ? "--blocked-by" : undefined);
  if (option === undefined) return problem;
  const message = problem.message.replace(FIELD, value ?? "This");
  return { file: option, severity: problem.severity, message, fix: problem.fix };
}
