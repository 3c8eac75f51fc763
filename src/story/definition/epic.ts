// An epic: connected stories and their order, in `.saga/epics/<epic>/epic.json`.

import * as z from "zod";
import { branch, epicId, oneLine, prose, pullRequest, status, storyId } from "./fields.ts";

export const epicSchema = z.looseObject({
  id: epicId,
  title: oneLine,
  description: prose,
  status,
  children: z.array(z.looseObject({ id: storyId, blockedBy: z.array(storyId).default([]) })),
  branch,
  pr: pullRequest,
  persistent: z.boolean().optional(),
  delivery: z.enum(["story-pr", "epic-branch"]).optional(),
});

export const EPIC_MEANINGS = {
  id: "Also the name of its folder.",
  title: "What people call it.",
  description: "The goal that its stories reach together.",
  status:
    "Written by `saga merge`, in the commit that it merges: in progress with the first story, completed with the last. It is not written while the file has uncommitted changes, nor when a story is started, discarded or merged by other means; the next merge corrects it. Commands and the dashboard derive the status from the stories instead.",
  children: "Its stories.",
  "children[].id": "A story.",
  "children[].blockedBy": "Stories of the epic that come first.",
  branch:
    "`epic/<id>`, the branch that its stories merge into. An epic that names it is delivered as one.",
  pr: "Written when the epic is delivered as one.",
  persistent:
    "It stays open when all its stories are completed; its own branch starts again from the target after each merge.",
  delivery: "A pull request for each story, or one for the epic.",
} satisfies Record<
  | keyof typeof epicSchema.shape
  | `children[].${keyof typeof epicSchema.shape.children.element.shape}`,
  string
>;

/** As people write it: fields with a default may be missing. */
export type EpicInput = z.input<typeof epicSchema>;
/** As parsed. */
export type Epic = z.output<typeof epicSchema>;
export type EpicChild = Epic["children"][number];
