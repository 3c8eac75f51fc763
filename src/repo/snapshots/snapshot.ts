// Snapshots of a worktree: staged, changed and new files, but not ignored ones, as a commit under
// `refs/saga/keep/<story>/<n>`. Taking one touches neither the index nor any file.

import { copyFileSync, existsSync, mkdtempSync, rmSync, statSync, utimesSync } from "node:fs";
import { basename, join } from "node:path";
import { ifThere, listNames } from "../../machine/files/files.ts";
import type { Environment } from "../../machine/processes/environment.ts";
import { gitError, type Git } from "../../machine/programs/git.ts";
import { objectInfo } from "../../machine/programs/object-reader.ts";
import { oneLine } from "../../text/one-line.ts";
import { isUnchanged } from "../diff/working-files.ts";
import { addAll } from "../stage-files.ts";
import { hiddenFiles, unhideFiles } from "./hidden-files.ts";
import { askAsCommitter } from "../committer.ts";
import { requireGitDir } from "../../machine/programs/head.ts";
import { commitOf, moveRef } from "../refs.ts";

/** The reasons that code decides by, kept as the trailer `Saga-Reason`. The subject says it in words. */
export type SnapshotReason = "discarded";

export interface Snapshot {
  readonly ref: string;
  readonly number: number;
  readonly commit: string;
  /** Git's error for files that could not be saved, such as unreadable ones. */
  readonly addError?: string | undefined;
}

export interface SnapshotRequest {
  /** At the story's worktree. */
  readonly git: Git;
  readonly storyId: string;
  /** For people: the subject of the snapshot's commit. */
  readonly why: string;
  /** Paths from the top folder that are left out. */
  readonly exclude: readonly string[];
}

export interface FullSnapshotRequest extends SnapshotRequest {
  readonly reason: SnapshotReason;
  /** The commit that the files are on, for a HEAD that names a deleted branch. */
  readonly head?: string | undefined;
  /** Folders that are included even if git ignores them, except for names that start with a dot. */
  readonly include: readonly string[];
}

/** Undefined when there is nothing to save, or when the newest snapshot already has the same content. */
export const snapshotChanges = async (request: SnapshotRequest): Promise<Snapshot | undefined> =>
  (await snapshotFiles(request)).snapshot;

export interface SavedFiles {
  readonly snapshot: Snapshot | undefined;
  /** The tree of the worktree's files at that moment. */
  readonly files: string;
  /** Git's error for files that are not in that tree, even if no snapshot was needed. */
  readonly addError: string | undefined;
}

/** Like `snapshotChanges`, and also returns the tree of the files. */
export async function snapshotFiles({
  git,
  storyId,
  why,
  exclude,
}: SnapshotRequest): Promise<SavedFiles> {
  const { head, headTree, files, index, addError } = await readTrees(git, exclude);
  // An index with conflicts has no tree; the files contain the conflicts.
  const staged = index === headTree ? undefined : index;
  if (files === headTree && staged === undefined) return { snapshot: undefined, files, addError };
  const newest = (await readSnapshots(git, storyId)).at(-1);
  if (newest && (await hasTrees(git, newest, { head, files, staged }))) {
    return { snapshot: undefined, files, addError };
  }
  const saved = await saveSnapshot(git, { storyId, why, head, tree: files, index: staged });
  return { snapshot: addError === undefined ? saved : { ...saved, addError }, files, addError };
}

/**
 * For a worktree that is about to be removed: takes a snapshot even if everything is committed, so that the
 * commits stay reachable. Repeated without a change, it returns the same snapshot.
 */
export async function snapshotAll(
  request: FullSnapshotRequest,
): Promise<Snapshot & { readonly tree: string }> {
  const { git, storyId, why, reason } = request;
  const { head, headTree, files, index, addError } = await readTrees(git, request.exclude, request);
  const staged = index === headTree ? undefined : index;
  const newest = (await readSnapshots(git, storyId)).at(-1);
  const isSame =
    newest?.reason === reason && (await hasTrees(git, newest, { head, files, staged }));
  const { ref, number, commit } =
    newest && isSame
      ? newest
      : await saveSnapshot(git, { storyId, why, reason, head, tree: files, index: staged });
  return { ref, number, commit, tree: files, ...(addError !== undefined && { addError }) };
}

interface Trees {
  readonly head: string;
  readonly headTree: string;
  /** The worktree's files except ignored ones. */
  readonly files: string;
  readonly index: string | undefined;
  readonly addError: string | undefined;
}

async function readTrees(
  git: Git,
  exclude: readonly string[],
  { head: at = "HEAD", include = [] }: Partial<Pick<FullSnapshotRequest, "head" | "include">> = {},
): Promise<Trees> {
  const head = await commitOf(git, at);
  const [tree] = head === undefined ? [] : await objectInfo(git, [`${head}^{tree}`]);
  if (head === undefined || tree === undefined)
    throw gitError(`${git.folder} has no commit ${at}.`);
  const headTree = tree.id;
  const isSame = include.length === 0 && at === "HEAD" && (await isUnchanged(git));
  if (isSame && (await hiddenFiles(git)).length === 0) {
    return { head, headTree, files: headTree, index: headTree, addError: undefined };
  }
  const gitDir = await requireGitDir(git);
  return withTemporaryIndex(gitDir, async (file) => {
    // With a copy of the index, git only reads the files that changed.
    copyIndex(join(gitDir, "index"), file);
    const env = { GIT_INDEX_FILE: file };
    const index = await git.attempt(["write-tree"], { env });
    await unhideFiles(git, env);
    const addError = await addAll(git, exclude, env);
    for (const folder of include) await addIgnored(git, folder, env);
    const files = await git.ask(["write-tree"], { env });
    return { head, headTree, files, index: index.isOk ? index.stdout : undefined, addError };
  });
}

async function addIgnored(git: Git, folder: string, env: Environment): Promise<void> {
  const ignored = ["ls-files", "--others", "--ignored", "--exclude-standard", "-z"];
  const names = (await git.ask([...ignored, "--", `:(top,literal)${folder}`], { env }))
    .split("\0")
    // Names of locks and temporary files start with a dot.
    .filter((name) => name !== "" && !basename(name).startsWith("."));
  if (names.length === 0) return;
  const add = ["add", "--force", "--sparse", "--pathspec-from-file=-", "--pathspec-file-nul"];
  const literally = { ...env, GIT_LITERAL_PATHSPECS: "1" };
  await git.ask(add, { env: literally, input: names.join("\0") });
}

interface NewSnapshot {
  readonly storyId: string;
  readonly why: string;
  readonly reason?: SnapshotReason | undefined;
  readonly head: string;
  readonly tree: string;
  readonly index: string | undefined;
}

/** Two processes may save at once: creating the ref claims the number, and only one succeeds. */
export async function saveSnapshot(
  git: Git,
  { storyId, why, reason, head, tree, index }: NewSnapshot,
): Promise<Snapshot> {
  const trailers = [`Saga-Story: ${storyId}`, ...(reason ? [`Saga-Reason: ${reason}`] : [])];
  const commitTree = (of: string, parents: readonly string[], subject: string): Promise<string> => {
    const args = ["commit-tree", of, ...parents.flatMap((parent) => ["-p", parent]), "-F", "-"];
    return askAsCommitter(git, args, `${subject}\n\n${trailers.join("\n")}\n`);
  };
  const subject = oneLine(why) || "snapshot";
  const staged =
    index === undefined ? [] : [await commitTree(index, [head], `${subject} (staged)`)];
  const commit = await commitTree(tree, [head, ...staged], subject);
  let error = "";
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const number = ((await readSnapshots(git, storyId)).at(-1)?.number ?? 0) + 1;
    const ref = snapshotRef(storyId, number);
    const saved = await moveRef(git, { ref, to: commit, from: undefined });
    if (saved.isOk) return { ref, number, commit };
    error = saved.stderr;
  }
  throw gitError(`The snapshot of ${storyId} could not be saved: ${error}`);
}

/** More than the number of processes that could save at the same moment. */
const MAX_ATTEMPTS = 50;

const snapshotRef = (storyId: string, number: number): string =>
  `refs/saga/keep/${storyId}/${number}`;

export interface SavedSnapshot extends Snapshot {
  readonly storyId: string;
  readonly why: string;
  readonly reason: SnapshotReason | undefined;
  readonly tree: string;
  readonly parents: readonly string[];
}

/** Sorted by story, then number. */
export async function readSnapshots(git: Git, storyId?: string): Promise<SavedSnapshot[]> {
  const under = storyId === undefined ? "refs/saga/keep/" : `refs/saga/keep/${storyId}/`;
  const fields = ["refname", "objectname", "tree", "parent", "subject", "body"];
  const format = `--format=${fields.map((field) => `%(${field})%00`).join("")}`;
  const parts = (await git.ask(["for-each-ref", format, under])).split("\0");
  const snapshots: SavedSnapshot[] = [];
  // Git ends each record with a line break, which is then the start of the next one.
  for (let from = 0; from + fields.length <= parts.length; from += fields.length) {
    const [ref = "", commit = "", tree = "", parents = "", why = "", body = ""] = parts.slice(from);
    const name = REF.exec(ref.trim())?.groups;
    if (name === undefined) continue;
    snapshots.push({
      ref: ref.trim(),
      number: Number(name["number"]),
      commit,
      storyId: name["story"] ?? "",
      why,
      reason: reasonOf(body),
      tree,
      parents: parents.split(" "),
    });
  }
  return snapshots.toSorted((one, other) =>
    one.storyId === other.storyId
      ? one.number - other.number
      : one.storyId < other.storyId
        ? -1
        : 1,
  );
}

const REF = /^refs\/saga\/keep\/(?<story>[^/]+)\/(?<number>\d+)$/;

export const reasonOf = (body: string): SnapshotReason | undefined =>
  /^Saga-Reason: discarded$/m.test(body) ? "discarded" : undefined;

async function hasTrees(
  git: Git,
  { tree, parents: [head, index] }: SavedSnapshot,
  wanted: { head: string; files: string; staged: string | undefined },
): Promise<boolean> {
  if (tree !== wanted.files || head !== wanted.head) return false;
  if (index === undefined || wanted.staged === undefined) return index === wanted.staged;
  return (await git.ask(["rev-parse", `${index}^{tree}`])) === wanted.staged;
}

/**
 * Copies an index with its modification time. Git compares seconds and re-reads a file that changed in the
 * second in which the index was written; with a newer index it would take such a file for unchanged.
 */
export function copyIndex(from: string, to: string): void {
  if (!existsSync(from)) return;
  const writtenAt = Math.floor(statSync(from).mtimeMs / 1000);
  copyFileSync(from, to);
  utimesSync(to, writtenAt, writtenAt);
}

/** A temporary index this old was left by a killed process. */
const ABANDONED_MS = 3_600_000;
const TEMPORARY = "saga-index-";

/** Lives in the git folder, where no `git status` shows it. */
export async function withTemporaryIndex<T>(
  gitDir: string,
  act: (file: string) => Promise<T>,
): Promise<T> {
  for (const name of listNames(gitDir).filter((one) => one.startsWith(TEMPORARY))) {
    const madeMs = ifThere(() => statSync(join(gitDir, name)).mtimeMs) ?? Date.now();
    if (Date.now() - madeMs > ABANDONED_MS)
      rmSync(join(gitDir, name), { recursive: true, force: true });
  }
  const folder = mkdtempSync(join(gitDir, TEMPORARY));
  try {
    return await act(join(folder, "index"));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The index has the files of a tree. */
export async function withIndexOf<T>(
  git: Git,
  tree: string,
  act: (env: Environment) => Promise<T>,
): Promise<T> {
  return withTemporaryIndex(await requireGitDir(git), async (file) => {
    const env = { GIT_INDEX_FILE: file };
    await git.ask(["read-tree", tree], { env });
    return act(env);
  });
}
