// A story's commits, for the page, `saga show` and `saga status`: `repo/story-range.ts` finds them, with what the store
// knows of the story.

import type { Context } from "../../context.ts";
import { findRepository } from "../../repo/repository.ts";
import { readDeliveries } from "../../repo/records/delivery-record.ts";
import { openForge } from "../../repo/open-forge.ts";
import { findRange, type StoryRange } from "../../repo/story-range.ts";
import type { CommitCard } from "../protocol/details.ts";

export type GitContext = Pick<Context, "store" | "env" | "now">;

export interface RangedStory {
  readonly id: string;
  readonly branch: string | undefined;
  readonly epic: string | undefined;
}

/** Undefined if the story has no branch yet. */
export async function readRange(
  { store, env, now }: GitContext,
  { id: storyId, branch, epic: epicId }: RangedStory,
): Promise<StoryRange | undefined> {
  const repository = await findRepository(store.project, env);
  const settings = await store.settings();
  return findRange(repository, {
    storyId,
    branch,
    epic: epicId === undefined ? undefined : (await store.readEpic(epicId)).epic,
    settings,
    forge: openForge(repository, { settings, env, now }),
    merged: (await readDeliveries(repository.git, storyId)).done,
    firstCommit: async () => {
      const runs = await store.listRuns(storyId);
      return runs.findLast(({ start, discardedAt }) => start && discardedAt === undefined)?.start
        ?.commit;
    },
  });
}

const MAX_COMMITS = 500;
const RECORD = "\u001e";
const trailer = (key: string): string => `%(trailers:key=${key},valueonly,separator=%x2C)`;
const FORMAT = `--format=%H%x00%cI%x00%s%x00${trailer("Saga-Task")}%x00${trailer("Saga-Task-Part")}%x1e`;

/** Oldest first. */
export async function readCommits({ git, from, to }: StoryRange): Promise<CommitCard[]> {
  const limit = `--max-count=${MAX_COMMITS}`;
  return parseCommits(await git.ask(["log", limit, FORMAT, `${from}..${to}`, "--"]));
}

export function parseCommits(text: string): CommitCard[] {
  const commits = text.split(RECORD).flatMap((record) => {
    const [commit = "", at = "", subject = "", task = "", part = ""] = record.trim().split("\0");
    return commit === "" ? [] : [{ commit, at, subject, task: task || part || undefined }];
  });
  return commits.toReversed();
}
