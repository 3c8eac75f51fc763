// The findings of `saga validate`.

import { expect } from "vitest";
import type { Problem } from "../../src/errors.ts";
import { projectWith } from "./one-story.ts";
import { aStory, type Project } from "./project.ts";
import { isHarmless, wholeDisk } from "./refused.ts";

/** The problems as people see them. Checks that there are some, the exit code and the unchanged disk. */
export async function complaint(project: Project): Promise<string> {
  const before = wholeDisk(project.path);
  const { exitCode, stdout, stderr } = await project.saga("validate");
  expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: "" });
  expect(isHarmless(stdout)).toBe(true);
  expect(stdout).toMatch(/\d+ errors? in \d+ epics?, \d+ stor(y|ies), \d+ tasks?\./);
  const problems = await problemsOf(project);
  expect(problems.every(({ message, fix }) => message.endsWith(".") && fix.endsWith("."))).toBe(
    true,
  );
  expect(wholeDisk(project.path)).toBe(before);
  return stdout;
}

export const problemsOf = async (project: Project): Promise<readonly Problem[]> =>
  ((await project.saga("validate", "--json")).json() as { problems: Problem[] }).problems;

export const withStory = (
  fields: Record<string, unknown> = {},
  ...tasks: Record<string, unknown>[]
): Project => projectWith(aStory("s", fields), ...tasks);
