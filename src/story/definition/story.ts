// A story: a goal for one agent, in `.saga/stories/<story>/story.json`.

import * as z from "zod";
import {
  DEFAULT_PRIORITY,
  MAX_LINE_LENGTH,
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
  title: oneLine,
  description: prose,
  guidance: text,
  doneWhen: text,
  avoid: text,
  status,
  epic: epicId.optional(),
  labels,
  priority,
  writeFiles: globs,
  checks,
  needsTesting: flag,
  needsReview: flag,
  branch,
  pr: pullRequest,
  worktree: text,
});

export const STORY_MEANINGS = {
  id: "Also the name of its folder.",
  title: "What people call it.",
  description: "The goal, with all the context that the work needs.",
  guidance: "How to approach the work.",
  doneWhen: "What must hold when it is done.",
  avoid: "What not to do.",
  status: "Changed by runs.",
  epic: "The epic it belongs to.",
  labels: "Words to find it by.",
  priority: "0 is the most urgent, 4 the least.",
  writeFiles: "The only files it may change, as globs.",
  checks: "Commands that must succeed on a clean checkout.",
  needsTesting: "A tester must pass it.",
  needsReview: "A reviewer must pass it.",
  branch: "Written by runs.",
  pr: "Written by runs.",
  worktree: "Written by runs.",
} satisfies Record<keyof typeof storySchema.shape, string>;

/** As people write it: fields with a default may be missing. */
export type StoryInput = z.input<typeof storySchema>;
/** As parsed. */
export type Story = z.output<typeof storySchema>;

/** The fields that most stories have; the others keep their defaults. */
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
 * Parses a usual story without the schema, which takes as long per story as reading its file: an overview reads a
 * thousand of them. Returns undefined for any other story, and for an invalid one: the schema decides then.
 */
export function usualStory(fields: unknown): Story | undefined {
  if (typeof fields !== "object" || fields === null) return undefined;
  for (const key in fields) if (!USUAL.has(key)) return undefined;
  const values = fields as Readonly<Record<string, unknown>>;
  const { id, title, description, status: stored = "pending", epic } = values;
  if (typeof id !== "string" || storyIdProblem(id) !== undefined) return undefined;
  if (typeof title !== "string" || title.length > MAX_LINE_LENGTH) return undefined;
  if (!ONE_LINE.test(title)) return undefined;
  if (typeof description !== "string" || !PROSE.test(description)) return undefined;
  if (!isStatus(stored)) return undefined;
  if (epic !== undefined && (typeof epic !== "string" || idProblem("epic", epic))) return undefined;
  for (const key of USUAL_TEXTS) {
    if (values[key] !== undefined && typeof values[key] !== "string") return undefined;
  }
  return {
    ...(values as Partial<Story>),
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
