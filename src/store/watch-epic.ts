// Where something changes when the state of an epic's stories does: their files, and who has them. That a
// worker was killed is told by no file.

import { join } from "node:path";
import { watchFolders } from "../machine/files/watch-folders.ts";
import { storyWorktree } from "../story/definition/names.ts";
import {
  archiveFolder,
  epicsFolder,
  layoutOf,
  leasesFolder,
  storiesFolder,
  worktreesFolder,
} from "./project/layout.ts";
import { storyLease } from "./leases/lease-names.ts";

export interface EpicWatch {
  readonly follow: (storyIds: readonly string[]) => void;
  readonly next: (maxMs: number, stop: AbortSignal) => Promise<void>;
  readonly close: () => void;
}

export function watchEpic(project: string, epicId: string): EpicWatch {
  const at = layoutOf(project);
  const folders = watchFolders();
  return {
    ...folders,
    follow: (storyIds) =>
      folders.follow([
        join(epicsFolder(at), epicId),
        leasesFolder(at),
        worktreesFolder(at),
        archiveFolder(at),
        ...storyIds.flatMap((id) => [
          join(leasesFolder(at), storyLease(id)),
          join(storiesFolder(at), id),
          join(at.project, storyWorktree(id), ".saga/stories", id),
        ]),
      ]),
  };
}
