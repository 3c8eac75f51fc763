// The recovery snapshot: which stories are closed, which were begun, which are still being written down,
// and on which branches they are. Derived and small; git and the story files stay the truth.

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
      /** It stays open when its stories are done. */
      persistent: z.boolean().optional(),
    }),
  ),
  stories: z.array(
    z.looseObject({
      id: storyId,
      epicId: epicId.optional(),
      title: z.string(),
      /** Merged or archived; begun; not begun. */
      state: z.enum(["closed", "running", "filling"]),
      /** Only while git has it. */
      branch,
      writeFiles: globs,
      needsTesting: z.boolean(),
      needsReview: z.boolean(),
    }),
  ),
});
export type EpicsSnapshot = z.output<typeof epicsSnapshotSchema>;

export interface KnownStory {
  readonly story: Story;
  readonly epicId: string | undefined;
  /** An archived one is completed. */
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
      ...namedBranch(epicBranch(id), hasBranch),
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
    ...namedBranch(story.branch ?? storyBranch(story.id), hasBranch),
    writeFiles: story.writeFiles ?? [],
    needsTesting: story.needsTesting,
    needsReview: story.needsReview,
  })),
});

const namedBranch = (branch: string, hasBranch: (branch: string) => boolean) =>
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
