// The fields that the formats of story, epic and task share. Each rule is one regular expression, so
// that a JSON Schema can say it too; what is wrong is worked out only when something is.

import * as z from "zod";
import {
  idProblem,
  idPattern,
  MAX_ID_LENGTH,
  storyIdProblem,
  storyPattern,
  type IdKind,
} from "./names.ts";
import { STATUSES } from "./status.ts";

export const status = z.enum(STATUSES).default("pending");

export const DEFAULT_PRIORITY = 3;

const idSchema = (pattern: string, faultOf: (id: string) => string | undefined) =>
  z.string().regex(new RegExp(`(?=^.{1,${MAX_ID_LENGTH}}$)${pattern}`), {
    error: ({ input }) => faultOf(String(input)) ?? "is not an id",
  });
const id = (kind: IdKind) => idSchema(idPattern(kind), (given) => idProblem(kind, given));

export const epicId = id("epic");
/** Whatever has a branch, a worktree and runs: a story, or a worker of the pool. */
export const storyId = id("story");
/** What a story itself may be called. */
export const storyName = idSchema(storyPattern(), storyIdProblem);
export const taskId = id("task");

export const text = z.string().optional();

export const PROSE = /\S/;
export const prose = z.string().regex(PROSE, "is empty");

const MAX_LINE_LENGTH = 200;

/** Shown in lists, commit subjects and terminals: one line, nothing that moves a cursor. */
export const ONE_LINE = new RegExp(
  `^(?=.*\\S)[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]{1,${MAX_LINE_LENGTH}}$`,
);
export const oneLine = z
  .string()
  .regex(ONE_LINE, { error: ({ input }) => lineProblem(String(input)) });

function lineProblem(line: string): string {
  if (line.trim() === "") return "is empty";
  return line.length > MAX_LINE_LENGTH
    ? `is longer than ${MAX_LINE_LENGTH} characters`
    : "holds a line break or control character";
}

/** Globs are matched from the top of the worktree and never leave it. */
export const glob = z.string().regex(/^(?=.*\S)(?![/~])(?!(?:.*[/\\])?\.\.(?:[/\\]|$))/s, {
  error: ({ input }) => globProblem(String(input)),
});
export const globs = z.array(glob).optional();

function globProblem(path: string): string {
  if (path.trim() === "") return "is empty";
  return /^[/~]/.test(path) ? "is not inside the project" : "climbs out of the project";
}

/** Command lines as a person types them, run by `sh -c`. */
export const checks = z.array(prose).default([]);

/** TOML bare keys, because the context file names its sections by label. */
export const label = z
  .string()
  .regex(/^[A-Za-z0-9_-]+$/, "may only hold letters, digits, dashes and underscores");
export const labels = z.array(label).default([]);

export const priority = z.int().min(0).max(4).default(DEFAULT_PRIORITY);

export const flag = z.boolean().default(false);

/** What git itself refuses in the name of a branch. */
const NO_BRANCH =
  "-|/|@$|.*(?:/$|//|\\.\\.|@\\{|\\.$|\\.lock(?:/|$)|[\\u0000-\\u0020~^:?*[\\\\\\u007f])|(?:.*/)?\\.";
export const branch = z
  .string()
  .regex(new RegExp(`^(?!${NO_BRANCH}).+$`, "s"), "is not a branch name")
  .optional();

/** A page on a forge, or a record of the embedded one. */
export const pullRequest = z
  .string()
  .regex(/^(?:https?:\/\/\S+|local\/\d+)$/, "is neither a web address nor `local/<number>`")
  .optional();

/** Where something stands that stood before. */
export function repeatsIn(ids: readonly string[]): number[] {
  const seen = new Set<string>();
  return ids.flatMap((one, index) => {
    if (seen.has(one)) return [index];
    seen.add(one);
    return [];
  });
}
