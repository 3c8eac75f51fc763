// `.saga/worker-prompt.md`: the project's template for the prompt of agents.

import { existsSync } from "node:fs";
import { SagaError, type Problem } from "../../errors.ts";
import { templateProblem } from "../../story/prompts/prompt-template.ts";
import { newReading } from "./find.ts";
import { promptFile, type Layout } from "./layout.ts";
import { readOrReport } from "./read.ts";

interface LoadedTemplate {
  /** Undefined when the project has no usable template. */
  readonly template?: string | undefined;
  readonly problems: readonly Problem[];
}

export function loadPromptTemplate(at: Layout): LoadedTemplate {
  const file = promptFile(at);
  if (!existsSync(file)) return { problems: [] };
  const reading = newReading();
  const template = readOrReport(at, file, reading);
  const problem = templateProblem(template ?? "");
  if (problem) return { problems: [{ file, severity: "error", ...problem }] };
  return { template, problems: reading.problems };
}

export function requirePromptTemplate(at: Layout): string | undefined {
  const { template, problems } = loadPromptTemplate(at);
  const [first] = problems;
  if (first === undefined) return template;
  throw new SagaError("bad-file", `${first.file} cannot be used: ${first.message}`, {
    hint: first.fix,
    problems,
  });
}
