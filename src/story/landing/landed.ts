// What one machine of a fleet tells another about its entry of a lane: commits and ids, never a text of a story.

import * as z from "zod";
import type { Entry } from "./entry.ts";

export const commitId = z.string().regex(/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/);

/** The last commit of the story, the target's commit before it, and the commit that brought the story there. */
export const landedSchema = z.object({ tip: commitId, onto: commitId, commit: commitId });
export type Landed = z.infer<typeof landedSchema>;

/** Whether the work is on another machine. `own`: the name of this one in the lane. */
export const isElsewhere = (
  { machine }: Pick<Entry, "machine">,
  own: string | undefined,
): boolean => machine !== undefined && machine !== own;
