// A story: a goal for one agent, in `.saga/stories/<story>/story.json`.

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
