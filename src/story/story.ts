// A story: what one worker takes from start to merge, kept in `.saga/stories/<story>/story.json`.

import * as z from "zod";
import {
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
