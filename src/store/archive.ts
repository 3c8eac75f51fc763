// Finished stories move to the archive as they are, in one rename.

import { renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { SagaError } from "../errors.ts";
import { diskError, makeFolder, syncFolder } from "../machine/files.ts";
import { archiveFolder, type Layout } from "./layout.ts";
import { readStoryLease } from "./overview.ts";
import { requireInside, requireStory } from "./require.ts";
import type { Archived } from "./store.ts";
import { breakLocks } from "./write-lock.ts";

export function archive(at: Layout, storyId: string, nowMs: number): Archived {
  const { story, source, folder } = requireStory(at, storyId);
  const target = join(archiveFolder(at), storyId);
  if (source === "archive") return { folder: target, wasThere: true };
  if (source === "worktree") {
    throw new SagaError("in-use", `The story ${storyId} still has a worktree.`, {
      hint: "Merge or discard it first: its true copy is there.",
    });
  }
  const lease = readStoryLease(at, storyId, nowMs);
  if (lease?.life === "alive") {
    throw new SagaError("in-use", `${lease.record.owner} is working on the story ${storyId}.`, {
      hint: "Wait until it has ended, or stop it first.",
    });
  }
  if (story.status !== "completed") {
    throw new SagaError("not-ready", `The story ${storyId} is not completed.`, {
      hint: `Only finished stories are archived; \`saga show ${storyId}\` tells what is left.`,
    });
  }
  requireInside(at, target);
  makeFolder(dirname(target));
  try {
    renameSync(folder, target);
  } catch (error) {
    throw diskError(error, target);
  }
  breakLocks(target);
  syncFolder(dirname(target));
  syncFolder(dirname(folder));
  return { folder: target, wasThere: false };
}
