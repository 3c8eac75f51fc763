// The files of a story that lie untracked in a person's checkout, because nobody has committed them
// there, while the merge brings the same ones: git would refuse it. They leave their place when what is
// in them is in the merged history, or in a snapshot.
//
// Each is renamed first, so that what is looked at is what goes; killed before the end, the next call
// finds it by that name and puts it back.

import { renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { listNames, makeFolder } from "../../machine/files/files.ts";
import type { Git } from "../../machine/programs/git.ts";
import { readRegularBytes } from "../../machine/files/bounded-file.ts";
import { entryAt } from "../lstat.ts";
import {
  readSnapshots,
  saveSnapshot,
  withTemporaryIndex,
  type Snapshot,
} from "../snapshots/snapshot.ts";

export interface OwnFiles {
  /** At the checkout. */
  readonly git: Git;
  readonly storyId: string;
  /** What belongs to the story: paths from the top folder. */
  readonly folders: readonly string[];
  /** The commit that is checked out, and the one that is to be. */
  readonly from: string;
  readonly to: string;
  /** The story's own commits: its record keeps what is folded away in the merged ones. */
  readonly tip: string;
}

export interface MovedFiles {
  readonly paths: readonly string[];
  /** With what the merged history does not have just so. */
  readonly snapshot: Snapshot | undefined;
  /** For a merge that was refused all the same. */
  readonly putBack: () => void;
}

/** Only what the merge knows: a note that a person has put beside it stays where it is. */
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

/** What a call that was killed has left beside its place. */
export function putBackMovedFiles({ git, folders }: Pick<OwnFiles, "git" | "folders">): void {
  for (const folder of folders) putBackIn(join(git.folder, folder));
}

function putBackIn(folder: string): void {
  // Nothing of this was ever done behind a link.
  if (!entryAt(folder)?.isDirectory()) return;
  for (const name of listNames(folder)) {
    const path = join(folder, name);
    const wanted = TEMPORARY_NAME.exec(name)?.groups?.["name"];
    if (wanted === undefined) putBackIn(path);
    else if (entryAt(join(folder, wanted)) === undefined) renameSync(path, join(folder, wanted));
  }
}

/** Git ignores such names in `.saga`. */
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
  // Ignored ones too: they are in the way like all others.
  const listed = await git.ask(["ls-files", "--others", "-z", "--", ...folders.map(literally)]);
  return listed.split("\0").filter((path) => path !== "");
}

const literally = (path: string): string => `:(top,literal)${path}`;

/** By path, whatever was in it at any time between the two commits: it is in the history for good. */
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
    const seen = known.get(path) ?? new Set();
    known.set(path, seen.add(blobs["old"] ?? "").add(blobs["now"] ?? ""));
  });
  return known;
}

/** On the merged commit, so that restoring it shows what was different. Repeated, it is the same one. */
async function snapshotUnknown(
  { git, storyId, to }: OwnFiles,
  files: readonly MovedFile[],
): Promise<Snapshot | undefined> {
  if (files.length === 0) return undefined;
  const gitDir = await git.ask(["rev-parse", "--absolute-git-dir"]);
  const tree = await withTemporaryIndex(gitDir, async (index) => {
    const env = { GIT_INDEX_FILE: index };
    await git.ask(["read-tree", to], { env });
    const entries = files.map(({ path, blob }) => `100644 ${blob}\t${path}\0`).join("");
    await git.ask(["update-index", "-z", "--index-info"], { env, input: entries });
    return git.ask(["write-tree"], { env });
  });
  const same = (await readSnapshots(git, storyId)).find(
    (keep) => keep.tree === tree && keep.parents[0] === to,
  );
  const why = "files of the story that were in a checkout and not committed";
  return same ?? saveSnapshot(git, { storyId, why, head: to, tree, index: undefined });
}
