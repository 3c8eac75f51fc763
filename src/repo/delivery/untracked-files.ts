// A story's files that are untracked in a person's checkout, because they were never committed there. If the merge
// brings the same files, git refuses it. So they are deleted once their content is in the merged history or in a
// snapshot.
//
// Each file is renamed first, so that the content that was checked is the one that is deleted. After a kill, the next
// call finds the file by its temporary name and puts it back.

import { renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { listNames, makeFolder } from "../../machine/files/files.ts";
import type { Git } from "../../machine/programs/git.ts";
import { readRegularBytes } from "../../machine/files/bounded-file.ts";
import { entryAt } from "../lstat.ts";
import { readSnapshots, saveSnapshot, withIndexOf, type Snapshot } from "../snapshots/snapshot.ts";

export interface OwnFiles {
  /** At the checkout. */
  readonly git: Git;
  readonly storyId: string;
  /** Folders that belong to the story, relative to the top folder. */
  readonly folders: readonly string[];
  /** The commit that is checked out, and the one that will be. */
  readonly from: string;
  readonly to: string;
  /** The story's last commit: its record keeps versions that were folded away in the merged commits. */
  readonly tip: string;
}

export interface MovedFiles {
  readonly paths: readonly string[];
  /** Holds the content that the merged history does not have. */
  readonly snapshot: Snapshot | undefined;
  /** For a merge that git refused all the same. */
  readonly putBack: () => void;
}

/** Moves only files that the merge contains: a person's own notes beside them stay. */
export async function moveUntrackedFiles(own: OwnFiles): Promise<MovedFiles> {
  const { git } = own;
  const known = await knownContents(own);
  const untracked = await listUntracked(own);
  const paths = untracked.filter((path) => known.has(path) && isPlainFile(join(git.folder, path)));
  const files: MovedFile[] = [];
  try {
    for (const path of paths) files.push(await moveFile(git, path));
    const snapshot = await snapshotUnknown(
      own,
      files.filter(({ path, blob }) => !known.get(path)?.has(blob)),
    );
    for (const { place } of files) rmSync(temporaryPath(place));
    return { paths, snapshot, putBack: () => files.forEach(writeBack) };
  } catch (error) {
    putBackMovedFiles(own);
    throw error;
  }
}

/** Puts back what a killed call left under temporary names. */
export function putBackMovedFiles({ git, folders }: Pick<OwnFiles, "git" | "folders">): void {
  for (const folder of folders) putBackIn(join(git.folder, folder));
}

function putBackIn(folder: string): void {
  // Files behind a symlink are never moved.
  if (!entryAt(folder)?.isDirectory()) return;
  for (const name of listNames(folder)) {
    const path = join(folder, name);
    const wanted = TEMPORARY_NAME.exec(name)?.groups?.["name"];
    if (wanted === undefined) putBackIn(path);
    else if (entryAt(join(folder, wanted)) === undefined) renameSync(path, join(folder, wanted));
  }
}

/** `.saga/.gitignore` covers these names. */
const temporaryPath = (place: string): string =>
  join(dirname(place), `.${basename(place)}.taken.tmp`);
const TEMPORARY_NAME = /^\.(?<name>.+)\.taken\.tmp$/;

interface MovedFile {
  readonly path: string;
  readonly place: string;
  readonly content: Buffer;
  readonly blob: string;
}

async function moveFile(git: Git, path: string): Promise<MovedFile> {
  const place = join(git.folder, path);
  renameSync(place, temporaryPath(place));
  const blob = await git.ask(["hash-object", "-w", "--no-filters", "--", temporaryPath(place)]);
  return { path, place, content: readRegularBytes(temporaryPath(place)), blob };
}

function writeBack({ place, content }: MovedFile): void {
  if (entryAt(place) !== undefined) return;
  makeFolder(dirname(place));
  writeFileSync(place, content, { flag: "wx" });
}

const isPlainFile = (file: string): boolean => entryAt(file)?.isFile() ?? false;

async function listUntracked({ git, folders }: OwnFiles): Promise<string[]> {
  // Including ignored files: git refuses to overwrite them too.
  const listed = await git.ask(["ls-files", "--others", "-z", "--", ...folders.map(literally)]);
  return listed.split("\0").filter((path) => path !== "");
}

const literally = (path: string): string => `:(top,literal)${path}`;

/** All versions of each path between the two commits: they stay in the history. */
async function knownContents({
  git,
  folders,
  from,
  to,
  tip,
}: OwnFiles): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const every = ["--raw", "--no-abbrev", "--no-renames", "-m", "--full-history", "-z"];
  const range = [to, tip, `^${from}`];
  const paths = folders.map(literally);
  const text = await git.ask(["log", "--format=", ...every, ...range, "--", ...paths]);
  const parts = text.split("\0");
  const known = new Map<string, Set<string>>();
  parts.forEach((part, at) => {
    const blobs = /^\n?:\d+ \d+ (?<old>[0-9a-f]+) (?<now>[0-9a-f]+) \w/.exec(part)?.groups;
    const path = parts[at + 1];
    if (blobs === undefined || path === undefined) return;
    const versions = known.get(path) ?? new Set();
    known.set(path, versions.add(blobs["old"] ?? "").add(blobs["now"] ?? ""));
  });
  return known;
}

/** Based on the merged commit, so that restoring it shows the differences. Repeated, it returns the same snapshot. */
async function snapshotUnknown(
  { git, storyId, to }: OwnFiles,
  files: readonly MovedFile[],
): Promise<Snapshot | undefined> {
  if (files.length === 0) return undefined;
  const tree = await withIndexOf(git, to, async (env) => {
    const entries = files.map(({ path, blob }) => `100644 ${blob}\t${path}\0`).join("");
    await git.ask(["update-index", "-z", "--index-info"], { env, input: entries });
    return git.ask(["write-tree"], { env });
  });
  const same = (await readSnapshots(git, storyId)).find(
    (one) => one.tree === tree && one.parents[0] === to,
  );
  const why = "uncommitted files of the story in a checkout";
  return same ?? saveSnapshot(git, { storyId, why, head: to, tree, index: undefined });
}
