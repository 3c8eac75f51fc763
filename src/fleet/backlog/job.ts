// A story in the fleet's queue. It names things and holds no text: what a member does is in git, never in a row.

import * as z from "zod";
import { epicId, storyName } from "../../story/definition/fields.ts";

const commit = z.string().regex(/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/);

export const jobSchema = z.object({
  /** The first commit of the repository. */
  root: commit,
  story: storyName,
  epic: epicId.optional(),
  /** The commit of the base that the story was queued at. */
  commit,
  /** Whether a member merges the story when it has passed its gate. */
  merge: z.boolean(),
});

export type FleetJob = z.output<typeof jobSchema>;

/** The group of a story without labels. No label has this form. */
const NO_LABELS = ".";

/** The labels of a story as one name, which the engine selects by. */
export const groupOf = (labels: readonly string[]): string =>
  labels.length === 0 ? NO_LABELS : [...new Set(labels)].toSorted().join(",");

/** Whether a member takes stories of the group. A member without labels takes all. */
export const takesGroup = (labels: readonly string[], group: string): boolean =>
  labels.length === 0 || group.split(",").some((label) => labels.includes(label));
