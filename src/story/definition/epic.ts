// An epic: connected stories and their order, kept in `.saga/epics/<epic>/epic.json`.

import * as z from "zod";
import { branch, epicId, oneLine, prose, pullRequest, status, storyId } from "./fields.ts";

export const epicSchema = z.looseObject({
  id: epicId,
  /** What people call it. */
  title: oneLine,
  /** The goal that the stories reach together. */
  description: prose,
  status,
  children: z.array(
    z.looseObject({
      id: storyId,
      /** Stories of this epic that come first. */
      blockedBy: z.array(storyId).default([]),
    }),
  ),
  /** `epic/<id>`, the branch that its stories merge into. An epic that names it is delivered as one. */
  branch,
  /** Written when it is delivered as one. */
  pr: pullRequest,
  /** Stays open, in progress, when all its stories are completed. */
  persistent: z.boolean().optional(),
  /** A pull request for each story, or one for the epic. */
  delivery: z.enum(["story-pr", "epic-branch"]).optional(),
});

/** What people write. */
export type EpicInput = z.input<typeof epicSchema>;
/** What the program holds. */
export type Epic = z.output<typeof epicSchema>;
export type EpicChild = Epic["children"][number];
