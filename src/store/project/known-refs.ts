// Which branches of stories there are, and which stories git has a record of a merge for: read from git's
// own files, because whoever lists a hundred stories, or starts with a session, starts no program for it.
// No package, and little code: hook scripts ask too.

import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { readText } from "../../machine/files/files.ts";
import type { Layout } from "./layout.ts";

export interface KnownRefs {
  /** Git's own record that it arrived somewhere: a run's word alone is not enough. */
  readonly isMergeRecorded: (storyId: string) => boolean;
  readonly hasBranch: (storyId: string) => boolean;
}

/** Nothing is read before it is asked for, and packed refs are read once. */
export function knownRefs({ project }: Layout): KnownRefs {
  let folder = "";
  let packed = "";
  const isThere = (name: string): boolean => {
    if (folder === "") {
      folder = gitFolder(project);
      const ours = textOf(folder, "packed-refs").match(/ refs\/(?:heads\/story|saga)\/.+\n/g);
      packed = ours?.join("") ?? "";
    }
    return existsSync(`${folder}/${name}`) || packed.includes(` ${name}\n`);
  };
  return {
    // As `repo/records/delivery-record.ts` writes it. Kept in tables, refs are no files: then the runs are believed.
    isMergeRecorded: (id) => isThere(`refs/saga/merged/${id}`) || isThere("reftable"),
    hasBranch: (id) => isThere(`refs/heads/story/${id}`),
  };
}

/** What all worktrees share. A project may be a worktree itself: then `.git` is a file that leads there. */
export function gitFolder(project: string): string {
  const own = resolve(project, textOf(project, ".git").split(/^gitdir: |\n/)[1] ?? ".git");
  return resolve(own, textOf(own, "commondir").trim());
}

/** Not there, no file, or not ours to read: it tells nothing, and here is not the place to say so. */
export function textOf(folder: string, name: string): string {
  try {
    return readText(join(folder, name));
  } catch {
    return "";
  }
}
