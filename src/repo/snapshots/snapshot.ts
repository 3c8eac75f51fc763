// Snapshots of a worktree: what is staged, changed and new, though not what git ignores, as a commit
// under `refs/saga/keep/<story>/<n>`. Taking one touches neither the index nor any file.

import { copyFileSync, existsSync, mkdtempSync, rmSync, statSync, utimesSync } from "node:fs";
import { basename, join } from "node:path";
import { SagaError } from "../../errors.ts";
import { ifThere, listNames } from "../../machine/files/files.ts";
import type { Environment } from "../../machine/processes/environment.ts";
import type { Git } from "../../machine/programs/git.ts";
import { addAll } from "../stage-files.ts";
import { unhideFiles } from "./hidden-files.ts";
import { askAsCommitter, oneLine } from "../committer.ts";
import { moveRef } from "../refs.ts";

export interface Snapshot {
  readonly ref: string;
  readonly number: number;
  readonly commit: string;
  /** What could not be saved, in git's words: a file that may not be read, for example. */
  readonly addError?: string | undefined;
}

export interface SnapshotRequest {
  /** At the story's worktree. */
  readonly git: Git;
  readonly storyId: string;
  readonly why: string;
  /** Paths from the top folder that are left out. */
  readonly exclude: readonly string[];
}

export interface FullSnapshotRequest extends SnapshotRequest {
  /** The commit that the files are on, where HEAD names a branch that is gone. */
  readonly head?: string | undefined;
  /** Folders from the top that are taken along whatever git ignores, dotted names apart. */
  readonly include: readonly string[];
}

/** Nothing when there is nothing to save, or when the newest snapshot has just that. */
export const snapshotChanges = async (request: SnapshotRequest): Promise<Snapshot | undefined> =>
  (await snapshotFiles(request)).snapshot;

export interface SavedFiles {
  readonly snapshot: Snapshot | undefined;
  /** The tree that the files made when they were saved. */
  readonly files: string;
  /** What is not in it, in git's words, also where nothing new was saved. */
  readonly addError: string | undefined;
}

/** The same, and what was looked at. */
export async function snapshotFiles({
  git,
  storyId,
  why,
  exclude,
}: SnapshotRequest): Promise<SavedFiles> {
  const { head, headTree, files, index, addError } = await readTrees(git, exclude);
  // One with conflicts in it is no tree: its files have the conflicts in their text.
  const staged = index === headTree ? undefined : index;
  if (files === headTree && staged === undefined) return { snapshot: undefined, files, addError };
  const newest = (await readSnapshots(git, storyId)).at(-1);
  if (newest && (await hasTrees(git, newest, { head, files, staged }))) {
    return { snapshot: undefined, files, addError };
  }
  const keep = await saveSnapshot(git, { storyId, why, head, tree: files, index: staged });
  return { snapshot: addError === undefined ? keep : { ...keep, addError }, files, addError };
}

/**
 * A snapshot in any case, for what is to go away: also of files that are all committed, so that the
 * commits stay. Repeated, it is the same one, as long as nothing has changed.
 */
export async function snapshotAll(
  request: FullSnapshotRequest,
): Promise<Snapshot & { readonly tree: string }> {
  const { git, storyId, why } = request;
  const { head, headTree, files, index, addError } = await readTrees(git, request.exclude, request);
  const staged = index === headTree ? undefined : index;
  const newest = (await readSnapshots(git, storyId)).at(-1);
  const isSame =
    newest?.why === oneLine(why) && (await hasTrees(git, newest, { head, files, staged }));
  const keep =
    newest && isSame
      ? newest
      : await saveSnapshot(git, { storyId, why, head, tree: files, index: staged });
  const { ref, number, commit } = keep;
  return { ref, number, commit, tree: files, ...(addError !== undefined && { addError }) };
}

interface Trees {
  readonly head: string;
  readonly headTree: string;
  /** What the worktree holds, ignored files apart. */
  readonly files: string;
  readonly index: string | undefined;
  readonly addError: string | undefined;
}

async function readTrees(
  git: Git,
  exclude: readonly string[],
  { head: at = "HEAD", include = [] }: Partial<Pick<FullSnapshotRequest, "head" | "include">> = {},
): Promise<Trees> {
  const said = await git.ask(["rev-parse", at, `${at}^{tree}`, "--absolute-git-dir"]);
  const [head = "", headTree = "", ...path] = said.split("\n");
  const gitDir = path.join("\n");
  return withTemporaryIndex(gitDir, async (file) => {
    // A copy knows which files have not changed, so that only the others are read.
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
    // Locks and temporary files have a dot.
    .filter((name) => name !== "" && !basename(name).startsWith("."));
  if (names.length === 0) return;
  const add = ["add", "--force", "--sparse", "--pathspec-from-file=-", "--pathspec-file-nul"];
  const literally = { ...env, GIT_LITERAL_PATHSPECS: "1" };
  await git.ask(add, { env: literally, input: names.join("\0") });
}

interface NewSnapshot {
  readonly storyId: string;
  readonly why: string;
  readonly head: string;
  readonly tree: string;
  readonly index: string | undefined;
}

/** Two may save at once: a number is taken by creating its ref, which only one can. */
export async function saveSnapshot(
  git: Git,
  { storyId, why, head, tree, index }: NewSnapshot,
): Promise<Snapshot> {
  const commitTree = (of: string, parents: readonly string[], subject: string): Promise<string> => {
    const args = ["commit-tree", of, ...parents.flatMap((parent) => ["-p", parent]), "-F", "-"];
    return askAsCommitter(git, args, `${subject}\n\nSaga-Story: ${storyId}\n`);
  };
  const subject = oneLine(why) || "kept";
  const staged =
    index === undefined ? [] : [await commitTree(index, [head], `${subject} (staged)`)];
  const commit = await commitTree(tree, [head, ...staged], subject);
  let refused = "";
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const number = ((await readSnapshots(git, storyId)).at(-1)?.number ?? 0) + 1;
    const ref = snapshotRef(storyId, number);
    const saved = await moveRef(git, { ref, to: commit, from: undefined });
    if (saved.isOk) return { ref, number, commit };
    refused = saved.stderr;
  }
  throw new SagaError("program-failed", `A snapshot of ${storyId} could not be kept: ${refused}`, {
    hint: "Nothing was changed. Put right what git says, and run the command again.",
  });
}

/** As many as could save at the same moment, and then some. */
const MAX_ATTEMPTS = 50;

const snapshotRef = (storyId: string, number: number): string =>
  `refs/saga/keep/${storyId}/${number}`;

export interface SavedSnapshot extends Snapshot {
  readonly storyId: string;
  readonly why: string;
  readonly tree: string;
  readonly parents: readonly string[];
}

/** By story and number, lowest first. */
export async function readSnapshots(git: Git, storyId?: string): Promise<SavedSnapshot[]> {
  const under = storyId === undefined ? "refs/saga/keep/" : `refs/saga/keep/${storyId}/`;
  const format = "--format=%(refname)%00%(objectname)%00%(tree)%00%(parent)%00%(subject)";
  const text = await git.ask(["for-each-ref", format, under]);
  return text
    .split("\n")
    .flatMap((line) => {
      const [ref = "", commit = "", tree = "", parents = "", why = ""] = line.split("\0");
      const name = /^refs\/saga\/keep\/(?<story>[^/]+)\/(?<number>\d+)$/.exec(ref)?.groups;
      if (name === undefined) return [];
      const number = Number(name["number"]);
      return {
        ref,
        number,
        commit,
        storyId: name["story"] ?? "",
        why,
        tree,
        parents: parents.split(" "),
      };
    })
    .toSorted((one, other) =>
      one.storyId === other.storyId
        ? one.number - other.number
        : one.storyId < other.storyId
          ? -1
          : 1,
    );
}

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
 * With its age. Git counts in seconds, and looks into a file that was changed in the second in which
 * the index was written; a copy that is younger would let it take such a file for unchanged.
 */
export function copyIndex(from: string, to: string): void {
  if (!existsSync(from)) return;
  const writtenAt = Math.floor(statSync(from).mtimeMs / 1000);
  copyFileSync(from, to);
  utimesSync(to, writtenAt, writtenAt);
}

/** What a killed process left; nobody needs one for longer. */
const FORGOTTEN_MS = 3_600_000;
const TEMPORARY = "saga-index-";

/** In the git folder, where it is in nobody's way. */
export async function withTemporaryIndex<T>(
  gitDir: string,
  act: (file: string) => Promise<T>,
): Promise<T> {
  for (const name of listNames(gitDir).filter((one) => one.startsWith(TEMPORARY))) {
    const madeMs = ifThere(() => statSync(join(gitDir, name)).mtimeMs) ?? Date.now();
    if (Date.now() - madeMs > FORGOTTEN_MS)
      rmSync(join(gitDir, name), { recursive: true, force: true });
  }
  const folder = mkdtempSync(join(gitDir, TEMPORARY));
  try {
    return await act(join(folder, "index"));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
