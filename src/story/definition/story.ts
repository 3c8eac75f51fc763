// A story: what one worker takes from start to merge, kept in `.saga/stories/<story>/story.json`.

import * as z from "zod";
import {
  DEFAULT_PRIORITY,
  ONE_LINE,
  PROSE,
  branch,
  checks,
  epicId,
  flag,
  globs,
  labels,
  oneLine,
  priority,
  prose,
  pullRequest,
  status,
  storyName,
  text,
} from "./fields.ts";
import { idProblem, storyIdProblem } from "./names.ts";
import { isStatus } from "./status.ts";

export const storySchema = z.looseObject({
  id: storyName,
  /** What people call it. */
  title: oneLine,
  /** The goal, with all the context a worker needs. */
  description: prose,
  /** How to approach the work. */
  guidance: text,
  /** What must hold when it is done. */
  doneWhen: text,
  /** What not to do. */
  avoid: text,
  status,
  /** The epic it belongs to. */
  epic: epicId.optional(),
  labels,
  /** 0 is the most urgent, 4 the least. */
  priority,
  /** The only files it may change. */
  writeFiles: globs,
  /** Commands that must succeed on a clean checkout. */
  checks,
  /** A tester must pass it. */
  needsTesting: flag,
  /** A reviewer must pass it. */
  needsReview: flag,
  /** Written when it runs, like the two below. */
  branch,
  pr: pullRequest,
  worktree: text,
});

/** What people write. */
export type StoryInput = z.input<typeof storySchema>;
/** What the program holds. */
export type Story = z.output<typeof storySchema>;

/** A story as most are written: these alone, and the rest by default. */
const USUAL_TEXTS = ["guidance", "doneWhen", "avoid", "worktree"] as const;
const USUAL: ReadonlySet<string> = new Set([
  "id",
  "title",
  "description",
  "status",
  "epic",
  ...USUAL_TEXTS,
]);

/**
 * The same by hand, for the usual case: an overview reads a thousand of them, and the schema takes as long for each as
 * for reading its file. Whatever it does not recognise is the schema's to judge.
 */
export function usualStory(fields: unknown): Story | undefined {
  if (typeof fields !== "object" || fields === null) return undefined;
  for (const key in fields) if (!USUAL.has(key)) return undefined;
  const given = fields as Readonly<Record<string, unknown>>;
  const { id, title, description, status: stored = "pending", epic } = given;
  if (typeof id !== "string" || storyIdProblem(id) !== undefined) return undefined;
  if (typeof title !== "string" || !ONE_LINE.test(title)) return undefined;
  if (typeof description !== "string" || !PROSE.test(description)) return undefined;
  if (!isStatus(stored)) return undefined;
  if (epic !== undefined && (typeof epic !== "string" || idProblem("epic", epic))) return undefined;
  for (const key of USUAL_TEXTS) {
    if (given[key] !== undefined && typeof given[key] !== "string") return undefined;
  }
  return {
    ...(given as Partial<Story>),
    id,
    title,
    description,
    status: stored,
    labels: [],
    priority: DEFAULT_PRIORITY,
    checks: [],
    needsTesting: false,
    needsReview: false,
  };
}
