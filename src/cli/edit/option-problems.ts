// Reports a problem of a new story, task or epic by the option that caused it: its file was never written.

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

export function asOption(problem: Problem, file: string): Problem {
  if (problem.file !== file) return problem;
  const field = problem.path?.findLast((step) => typeof step === "string") ?? "";
  const option = OPTIONS[field];
  if (option === undefined) return problem;
  const { severity, reason, message, fix } = problem;
  return {
    file: option,
    severity,
    message: reason === undefined ? message : `The value ${reason}.`,
    fix,
  };
}
