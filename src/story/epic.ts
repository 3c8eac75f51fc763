// An epic: connected stories and their order, kept in `.saga/epics/<epic>/epic.json`.

import * as z from "zod";
import {
  branch,
  epicId,
  idList,
  oneLine,
  prose,
  pullRequest,
  repeatsIn,
  status,
  storyId,
} from "./fields.ts";

const childSchema = z.looseObject({
  id: storyId,
  blockedBy: idList("story").default([]).describe("Stories of this epic that come first."),
});

export const epicSchema = z
  .looseObject({
    id: epicId,
    title: oneLine.describe("What people call it."),
    description: prose.describe("The goal that the stories reach together."),
    status: status.default("pending"),
    children: z.array(childSchema).superRefine((children, context) => {
      for (const index of repeatsIn(children.map((child) => child.id))) {
        const message = `lists ${children[index]?.id} twice`;
        context.addIssue({ code: "custom", path: [index, "id"], message });
      }
    }),
    branch: branch.optional().describe("The branch that its stories merge into."),
    pr: pullRequest.optional().describe("Written when it is delivered as one."),
    delivery: z
      .enum(["story-pr", "epic-branch"])
      .optional()
      .describe("A pull request for each story, or one for the epic."),
  })
  .meta({ title: "Saga epic", description: "A file `.saga/epics/<epic>/epic.json`." });

/** What people write. */
export type EpicInput = z.input<typeof epicSchema>;
/** What the program holds. */
export type Epic = z.output<typeof epicSchema>;
export type EpicChild = Epic["children"][number];
