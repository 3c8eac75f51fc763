// Copies of stories whose current files are on another machine of the fleet, below `.saga/elsewhere/stories`. They are read
// from git, only to be looked at: nothing writes to them but this, and they can be deleted at any time.

import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { listNames, makeFolder, readTextIfThere, replaceFile } from "../../machine/files/files.ts";
import { idProblem } from "../../story/definition/names.ts";
import { elsewhereFolder, type Layout } from "../project/layout.ts";
import { makeIgnoredFolder } from "../write/ignored-folder.ts";

export interface StoryCopy {
  readonly storyId: string;
  /** The commit that the files were read from. */
  readonly commit: string;
  /** Texts by file name. */
  readonly files: ReadonlyMap<string, string>;
}

/** With a dot: it is not a file of the story. */
const COMMIT = ".commit";

const copiesFolder = (at: Layout): string => join(elsewhereFolder(at), "stories");
const copyFolder = (at: Layout, storyId: string): string => join(copiesFolder(at), storyId);

/** The commit of each copy, by story. */
export const listCopies = (at: Layout): ReadonlyMap<string, string> =>
  new Map(
    listNames(copiesFolder(at))
      .filter((id) => idProblem("story", id) === undefined)
      .map((id) => [id, readTextIfThere(join(copyFolder(at, id), COMMIT)) ?? ""]),
  );

/** `story.json` is written last, and with it the copy counts. */
export function saveCopy(at: Layout, { storyId, commit, files }: StoryCopy): void {
  if (!files.has("story.json")) return removeCopy(at, storyId);
  const folder = copyFolder(at, storyId);
  makeIgnoredFolder(elsewhereFolder(at));
  makeFolder(folder, { isDurable: false });
  const others = [...files.keys()].filter((name) => name !== "story.json");
  for (const name of [...others, "story.json"]) {
    const text = files.get(name) ?? "";
    if (readTextIfThere(join(folder, name)) !== text) replaceFile(join(folder, name), text);
  }
  const old = listNames(folder).filter((name) => !name.startsWith(".") && !files.has(name));
  for (const name of old) rmSync(join(folder, name), { force: true });
  replaceFile(join(folder, COMMIT), commit);
}

/** From then on the copy of this machine counts. */
export function removeCopy(at: Layout, storyId: string): void {
  const folder = copyFolder(at, storyId);
  if (existsSync(folder)) rmSync(folder, { recursive: true, force: true });
}
