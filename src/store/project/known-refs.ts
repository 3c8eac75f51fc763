// Refs, and the merges that git has recorded. Read from git's files, because listing a hundred
// stories, or starting a session, must not start git. Loads no package: hook scripts use it too.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { readText } from "../../machine/files/files.ts";
import { gitDirAt, sharedBy } from "../../machine/programs/common-dir.ts";
import type { Layout } from "./layout.ts";

export interface KnownRefs {
  /** Whether git has recorded that the story was merged. The record of a run alone is not proof. */
  readonly isMergeRecorded: (storyId: string) => boolean;
  readonly hasBranch: (storyId: string) => boolean;
}

/** Reads lazily, and packed refs once. */
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
    // Written by `repo/records/delivery-record.ts`. With reftables refs are not files: then the runs are trusted.
    isMergeRecorded: (id) => isThere(`refs/saga/merged/${id}`) || isThere("reftable"),
    hasBranch: (id) => isThere(`refs/heads/story/${id}`),
  };
}

/** In a repository with reftables, refs are not files: every branch counts as existing. */
export function branchesIn({ project }: Layout): (branch: string) => boolean {
  const commitOf = commitsIn(project);
  const isOpaque = existsSync(join(gitFolder(project), "reftable"));
  return (branch) => isOpaque || commitOf(`refs/heads/${branch}`) !== undefined;
}

/** The commit that a ref names, if its file says so. */
export function commitsIn(project: string): (ref: string) => string | undefined {
  const folder = gitFolder(project);
  const packed = textOf(folder, "packed-refs");
  return (ref) => {
    const at = packed.indexOf(` ${ref}\n`);
    return (
      textOf(folder, ref).trim() || (at < 0 ? undefined : packed.slice(0, at).split("\n").at(-1))
    );
  };
}

/** Git's folder that all worktrees share. */
export function gitFolder(project: string): string {
  const usual = join(project, ".git");
  try {
    return sharedBy(gitDirAt(project) ?? usual);
  } catch {
    return usual;
  }
}

/** Empty when the file is missing or cannot be read. */
function textOf(folder: string, name: string): string {
  try {
    return readText(join(folder, name));
  } catch {
    return "";
  }
}
