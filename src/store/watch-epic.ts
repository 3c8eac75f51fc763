// Watches the folders that change with the state of an epic's stories: their files and leases. The death of a worker
// changes no file and is not seen here.

import { join } from "node:path";
import { followFolders, type FolderChanges } from "../machine/files/folder-changes.ts";
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

export function watchEpic(project: string, epicId: string): FolderChanges {
  const at = layoutOf(project);
  const folders = followFolders();
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
