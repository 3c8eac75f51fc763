// Moves finished stories to the archive and back, each in one rename.

import { existsSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { SagaError } from "../../errors.ts";
import { diskError, makeFolder, syncFolder } from "../../machine/files/files.ts";
import { archiveFolder, storiesFolder, type Layout } from "../project/layout.ts";
import { knownRefs } from "../project/known-refs.ts";
import { lastRunOf } from "../runs/last-run.ts";
import { storyLease } from "../leases/lease-names.ts";
import type { Leases, LeaseState } from "../leases/leases.ts";
import type { StoryRecord } from "../project/read.ts";
import { requireInside, requirePlace } from "../project/require.ts";
import { requireStory } from "../project/require-read.ts";
import type { Archived } from "../store.ts";
import { changedElsewhere } from "./story-folder.ts";
import { beginChange, endChange } from "./transaction.ts";
import { breakLocks } from "../../machine/files/folder-lock.ts";

/** The folders to lock while it checks whether the stories are finished. */
export const foldersToArchive = (at: Layout, storyIds: readonly string[]): string[] =>
  storyIds.flatMap((id) => {
    const place = requirePlace(at, id);
    return place.source === "project" ? [place.folder] : [];
  });

interface ArchiveContext {
  readonly leases: Leases;
  readonly nowMs: number;
}

/** Checks all stories before it moves any. */
export async function archive(
  at: Layout,
  storyIds: readonly string[],
  context: ArchiveContext,
): Promise<Archived[]> {
  const stories: StoryRecord[] = [];
  for (const id of storyIds) stories.push(await requireArchivable(at, id, context));
  beginChange(at);
  const archived = stories.map(({ id, source, folder }) => {
    const target = join(archiveFolder(at), id);
    if (source !== "archive" && existsSync(folder)) move(folder, target);
    // The lock moved with the folder, now or in an earlier attempt.
    breakLocks(target);
    return { id, folder: target, wasThere: source === "archive" };
  });
  endChange(at);
  return archived;
}

/** A story that is not in the archive stays where it is. */
export function unarchive(at: Layout, storyIds: readonly string[]): Archived[] {
  const places = storyIds.map((id) => {
    const { source, folder } = requirePlace(at, id);
    const target = join(storiesFolder(at), id);
    requireInside(at, target);
    return { id, folder, target, wasThere: source !== "archive" };
  });
  beginChange(at);
  for (const { folder, target, wasThere } of places) {
    if (!wasThere && existsSync(folder)) move(folder, target);
  }
  endChange(at);
  return places.map(({ id, target, wasThere }) => ({ id, folder: target, wasThere }));
}

async function requireArchivable(
  at: Layout,
  id: string,
  { leases, nowMs }: ArchiveContext,
): Promise<StoryRecord> {
  const record = requireStory(at, id);
  if (record.source === "archive") return record;
  const refusal = archiveRefusal(record, {
    lease: await leases.read(storyLease(id)),
    isMerged: () => lastRunOf(at, id, { nowMs, refs: knownRefs(at) }).outcome === "merged",
  });
  if (refusal) throw refusal;
  const target = join(archiveFolder(at), id);
  requireInside(at, target);
  if (existsSync(target)) {
    throw new SagaError("exists", `The archive already has a story ${id}: ${target}.`, {
      hint: "Rename or remove one of the two folders.",
    });
  }
  return record;
}

interface ArchiveFacts {
  readonly lease: LeaseState | undefined;
  /** Whether its last run was its merge. */
  readonly isMerged: () => boolean;
}

/** Undefined if the story is finished. */
export function archiveRefusal(
  { id, source, story, tasks }: Pick<StoryRecord, "id" | "source" | "story" | "tasks">,
  { lease, isMerged }: ArchiveFacts,
): SagaError | undefined {
  if (source === "elsewhere") return changedElsewhere(id);
  if (source === "worktree") {
    return new SagaError("in-use", `The story ${id} still has a worktree.`, {
      hint: `Merge it (\`saga merge ${id}\`) or discard its work (\`saga discard ${id}\`) first.`,
    });
  }
  if (lease?.life === "alive") {
    return new SagaError("in-use", `The story ${id} is running (${lease.record.owner}).`, {
      hint: `Wait for it to end, or stop it: \`saga stop ${id}\`.`,
    });
  }
  const isDone = tasks.every((task) => task.status === "completed");
  if (story.status === "completed" && isDone) return undefined;
  return isMerged()
    ? new SagaError("not-ready", `${id} is merged, but its files here are older.`, {
        hint: `Update this checkout first: \`saga merge ${id} --update-checkout\` or \`git pull\`.`,
      })
    : new SagaError("not-ready", `The story ${id} is not completed.`, {
        hint: `Only completed stories can be archived. See what is left with \`saga show ${id}\`.`,
      });
}

function move(folder: string, target: string): void {
  makeFolder(dirname(target));
  try {
    renameSync(folder, target);
  } catch (error) {
    throw diskError(error, target);
  }
  syncFolder(dirname(target));
  syncFolder(dirname(folder));
}
