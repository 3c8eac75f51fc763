// The fields that the formats of story, epic and task share. Each rule is a regular expression, so that the JSON
// Schema states it too. The message is only built when the rule is broken.

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

/** Aborts, so that the longest text is one problem and not two. */
const atMost = (characters: number) =>
  z.string().max(characters, { error: `is longer than ${characters} characters`, abort: true });

const idSchema = (pattern: string, problemOf: (id: string) => string | undefined) =>
  atMost(MAX_ID_LENGTH).regex(new RegExp(pattern), {
    error: ({ input }) => problemOf(String(input)) ?? "is not an id",
  });
const id = (kind: IdKind) => idSchema(idPattern(kind), (text) => idProblem(kind, text));

export const epicId = id("epic");
/** A story, or a worker of the pool: both have a branch, a worktree and runs. */
export const storyId = id("story");
/** A story only: the names of the pool's workers are refused. */
export const storyName = idSchema(storyPattern(), storyIdProblem);
export const taskId = id("task");

export const text = z.string().optional();

export const prose = z.string().regex(/\S/, "is empty");

const MAX_LINE_LENGTH = 200;

/** Shown in lists, commit subjects and terminals: a line that is not blank, without control characters. */
// oxlint-disable-next-line no-control-regex -- they are what it refuses
const ONE_LINE = /^(?=.*\S)[^\u0000-\u001f\u007f-\u009f\u2028\u2029]+$/;
export const oneLine = atMost(MAX_LINE_LENGTH).regex(ONE_LINE, {
  error: ({ input }) =>
    String(input).trim() === "" ? "is empty" : "contains a line break or control character",
});

/** Globs are matched from the top of the worktree and never leave it. */
export const glob = z.string().regex(/^(?=.*\S)(?![/~])(?!(?:.*[/\\])?\.\.(?:[/\\]|$))/s, {
  error: ({ input }) => globProblem(String(input)),
});
export const globs = z.array(glob).optional();

function globProblem(path: string): string {
  if (path.trim() === "") return "is empty";
  return /^[/~]/.test(path) ? "is not inside the project" : "leads out of the project";
}

/** Command lines as a person types them, run by `sh -c`. */
export const checks = z.array(prose).default([]);

/** TOML bare keys, because the context file names its sections by label. */
export const label = z
  .string()
  .regex(/^[A-Za-z0-9_-]+$/, "may only contain letters, digits, dashes and underscores");
export const labels = z.array(label).default([]);

export const priority = z.int().min(0).max(4).default(DEFAULT_PRIORITY);

export const flag = z.boolean().default(false);

/** The names that git refuses for a branch. */
const REFUSED_BRANCH =
  "-|/|@$|.*(?:/$|//|\\.\\.|@\\{|\\.$|\\.lock(?:/|$)|[\\u0000-\\u0020~^:?*[\\\\\\u007f])|(?:.*/)?\\.";
export const branch = z
  .string()
  .regex(new RegExp(`^(?!${REFUSED_BRANCH}).+$`, "s"), "is not a branch name")
  .optional();

/** A page on a forge, or a record of the local one. */
export const pullRequest = z
  .string()
  .regex(/^(?:https?:\/\/\S+|local\/\d+)$/, "is neither a web address nor `local/<number>`")
  .optional();

/** The index of each id that occurred before. */
export function repeatsIn(ids: readonly string[]): number[] {
  const seen = new Set<string>();
  return ids.flatMap((id, index) => {
    if (seen.has(id)) return [index];
    seen.add(id);
    return [];
  });
}
