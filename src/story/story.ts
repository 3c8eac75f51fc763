// A story: what one worker takes from start to merge, kept in `.saga/stories/<story>/story.json`.

import * as z from "zod";
import {
  branch,
  check,
  DEFAULT_PRIORITY,
  epicId,
  glob,
  label,
  oneLine,
  priority,
  prose,
  pullRequest,
  status,
  storyId,
} from "./fields.ts";

export const storySchema = z
  .looseObject({
    id: storyId,
    title: oneLine.describe("What people call it."),
    description: prose.describe("The goal, with all the context a worker needs."),
    guidance: z.string().optional().describe("How to approach the work."),
    doneWhen: z.string().optional().describe("What must hold when it is done."),
    avoid: z.string().optional().describe("What not to do."),
    status: status.default("pending"),
    epic: epicId.optional().describe("The epic it belongs to."),
    labels: z.array(label).default([]),
    priority: priority.default(DEFAULT_PRIORITY).describe("0 is the most urgent, 4 the least."),
    writeFiles: z.array(glob).optional().describe("The only files it may change, as globs."),
    checks: z.array(check).default([]).describe("Commands that must succeed on a clean checkout."),
    needsTesting: z.boolean().default(false).describe("A tester must pass it."),
    needsReview: z.boolean().default(false).describe("A reviewer must pass it."),
    branch: branch.optional().describe("Written when it runs."),
    pr: pullRequest.optional().describe("Written when it runs."),
    worktree: z.string().optional().describe("Written when it runs."),
  })
  .meta({ title: "Saga story", description: "A file `.saga/stories/<story>/story.json`." });

/** What people write. */
export type StoryInput = z.input<typeof storySchema>;
/** What the program holds. */
export type Story = z.output<typeof storySchema>;
