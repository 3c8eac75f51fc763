// A refused command: its text for people, its JSON for programs, and an unchanged disk.

import { execFileSync } from "node:child_process";
import { expect } from "vitest";
import type { Problem } from "../../src/errors.ts";
import { snapshot, type Project } from "./project.ts";

export interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly hint: string | undefined;
  readonly problems: readonly Problem[];
  /** What people see. */
  readonly text: string;
}

/** Exit code 1: understood, and not done. */
export const refused = (project: Project, ...words: string[]): Promise<Refusal> =>
  refusal(project, words, { exitCode: 1 });

export const refusedWithInput = (
  project: Project,
  input: string,
  ...words: string[]
): Promise<Refusal> => refusal(project, words, { exitCode: 1, input });

/** Exit code 64: not understood. */
export async function misused(project: Project, ...words: string[]): Promise<Refusal> {
  const answer = await refusal(project, words, { exitCode: 64 });
  expect(answer.code).toBe("usage");
  return answer;
}

/** Everything below a folder: files with content, folders, links with their targets. */
export function wholeDisk(path: string): string {
  const entries = execFileSync(
    "find",
    [path, "-not", "-path", "*/leases*", "-printf", "%P %y %l\\n"],
    { encoding: "utf8" },
  );
  return `${snapshot(path)}\n${entries.split("\n").toSorted().join("\n")}`;
}

/** Without characters that move the cursor, colour the screen or change the reading direction. */
export const isHarmless = (text: string): boolean => !CONTROL.test(text);

// oxlint-disable-next-line no-control-regex -- these are what must not get through
const CONTROL = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/;

async function refusal(
  project: Project,
  words: readonly string[],
  { exitCode, input = "" }: { exitCode: number; input?: string },
): Promise<Refusal> {
  const before = wholeDisk(project.path);
  const toPeople = await project.sagaWithInput(input, ...words);
  const toPrograms = await project.sagaWithInput(input, ...words, "--json");
  expect(wholeDisk(project.path)).toBe(before);

  expect(toPeople.exitCode).toBe(exitCode);
  expect(toPeople.stdout).toBe("");
  expect(toPeople.stderr).toMatch(/^saga: .+\n$/s);
  expect(toPeople.stderr).not.toMatch(/\n {4}at /);
  expect(isHarmless(toPeople.stderr)).toBe(true);

  expect(toPrograms.exitCode).toBe(exitCode);
  expect(toPrograms.stderr).toBe("");
  const { error, ...rest } = toPrograms.json() as { error: Omit<Refusal, "text"> };
  expect(rest).toEqual({});
  expect(error.message).toMatch(/^[^\n]+[.:]$/);
  const nextSteps = [error.hint, ...error.problems.map((problem) => problem.fix)];
  expect(nextSteps.filter(Boolean)).not.toEqual([]);
  return { ...error, text: toPeople.stderr };
}
