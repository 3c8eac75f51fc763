// `.saga/epics.json`: every epic and story with its progress and branch, to recover from. It is derived; git and the
// story files are the source.

import * as z from "zod";
import type { Epic } from "../definition/epic.ts";
import { branch, epicId, globs, pullRequest, storyId } from "../definition/fields.ts";
import { epicBranch, storyBranch } from "../definition/names.ts";
import type { StoryState } from "./state.ts";
import type { Story } from "../definition/story.ts";

export const epicsSnapshotSchema = z.looseObject({
  epics: z.array(
    z.looseObject({
      id: epicId,
      title: z.string(),
      branch,
      pr: pullRequest,
      prNumber: z.int().positive().optional(),
      persistent: z.boolean().optional(),
    }),
  ),
  stories: z.array(
    z.looseObject({
      id: storyId,
      epicId: epicId.optional(),
      title: z.string(),
      state: z.enum(["closed", "running", "filling"]),
      branch,
      writeFiles: globs,
      needsTesting: z.boolean(),
      needsReview: z.boolean(),
    }),
  ),
});

export const EPICS_SNAPSHOT_MEANINGS = {
  epics: "Every epic, with its branch and pull request.",
  "epics[].id": "The epic.",
  "epics[].title": "The title.",
  "epics[].branch": "The branch that its stories merge into.",
  "epics[].pr": "Its pull request.",
  "epics[].prNumber": "The number of its pull request.",
  "epics[].persistent": "Whether it stays open when its stories are done.",
  stories: "Every story: `closed` is merged or archived, `running` begun, `filling` not begun.",
  "stories[].id": "The story.",
  "stories[].epicId": "Its epic.",
  "stories[].title": "The title.",
  "stories[].state": "Its progress.",
  "stories[].branch": "Its branch, while git has it.",
  "stories[].writeFiles": "The only files it may change.",
  "stories[].needsTesting": "Whether a tester must pass it.",
  "stories[].needsReview": "Whether a reviewer must pass it.",
} satisfies Record<SnapshotField, string>;

type SnapshotShape = typeof epicsSnapshotSchema.shape;
type SnapshotField =
  | keyof SnapshotShape
  | `epics[].${keyof SnapshotShape["epics"]["element"]["shape"]}`
  | `stories[].${keyof SnapshotShape["stories"]["element"]["shape"]}`;

export type EpicsSnapshot = z.output<typeof epicsSnapshotSchema>;

export interface KnownStory {
  readonly story: Story;
  readonly epicId: string | undefined;
  /** `completed` for an archived story. */
  readonly state: StoryState;
}

export const snapshotOf = (
  epics: readonly Epic[],
  stories: readonly KnownStory[],
  hasBranch: (branch: string) => boolean,
): EpicsSnapshot => ({
  epics: epics.map((epic) => {
    const { id, title, pr, persistent } = epic;
    const number = Number(/\/(?<number>[1-9]\d*)\/?$/.exec(pr ?? "")?.groups?.["number"]);
    return {
      id,
      title,
      ...existingBranch(epicBranch(id), hasBranch),
      ...(pr !== undefined && { pr }),
      ...(number > 0 && { prNumber: number }),
      ...(persistent !== undefined && { persistent }),
    };
  }),
  stories: stories.map(({ story, epicId: epic, state }) => ({
    id: story.id,
    ...(epic !== undefined && { epicId: epic }),
    title: story.title,
    state: STATES[state],
    ...existingBranch(story.branch ?? storyBranch(story.id), hasBranch),
    writeFiles: story.writeFiles ?? [],
    needsTesting: story.needsTesting,
    needsReview: story.needsReview,
  })),
});

const existingBranch = (branch: string, hasBranch: (branch: string) => boolean) =>
  hasBranch(branch) ? { branch } : {};

const STATES: Readonly<Record<StoryState, "closed" | "running" | "filling">> = {
  pending: "filling",
  waiting: "filling",
  ready: "filling",
  running: "running",
  stalled: "running",
  blocked: "running",
  failed: "running",
  stopped: "running",
  killed: "running",
  limit: "running",
  unfinished: "running",
  "sent-back": "running",
  review: "running",
  completed: "closed",
};
