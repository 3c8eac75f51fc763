// What a story has changed so far, and what it would conflict with if it were merged now. Each worker writes the record
// of its own story and reads those of the others, so no two processes write the same file.

import * as z from "zod";
import { storyName } from "../definition/fields.ts";

const changesSchema = z.object({
  /** Every file that differs from where the story began, in both names if it was renamed. */
  paths: z.array(z.string()),
  /** Folders that files were deleted in or moved out of: git moves files that others add there along. */
  emptied: z.array(z.string()),
  /** Too many to list: they may be in any file. */
  isEverything: z.boolean().default(false),
});
export type ChangedPaths = z.infer<typeof changesSchema>;

const triedMergeSchema = z.object({
  /** A story, or a branch that the story goes into. */
  kind: z.enum(["story", "target"]),
  name: z.string().min(1),
  /** The commit that it was merged with. */
  commit: z.string(),
  /** None if it merges cleanly. */
  files: z.array(z.string()),
  /** Since when there is a conflict, or since when there is none. */
  since: z.iso.datetime(),
});
export type TriedMerge = z.infer<typeof triedMergeSchema>;

export const openWorkSchema = z.object({
  story: storyName,
  /** What the story is called and what it is for, so that others can be told without reading its files. */
  title: z.string(),
  intent: z.string(),
  /** The branch that it goes into. */
  target: z.string().optional(),
  /** The last commit. Changes and merges are those of this commit. */
  tip: z.string(),
  changes: changesSchema,
  merges: z.array(triedMergeSchema),
  at: z.iso.datetime(),
});
export type OpenWork = z.infer<typeof openWorkSchema>;
