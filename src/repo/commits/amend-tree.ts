// Changes files of a tree in git's object store, without a checkout or a person's index. The same input gives the same
// tree.

import type { Git } from "../../machine/programs/git.ts";
import { readBlobs } from "../diff/blobs.ts";
import { withTemporaryIndex } from "../snapshots/snapshot.ts";

/** Returns the texts of those paths that are regular files in the tree. */
export type ReadFiles = (paths: readonly string[]) => Promise<ReadonlyMap<string, string>>;

/** Returns the new text of each file to change or add. Links and folders in its place are left as they are. */
export type Amendment = (read: ReadFiles) => Promise<ReadonlyMap<string, string>>;

/** Returns the same tree when nothing changes. */
export async function amendTree(git: Git, tree: string, amendment: Amendment): Promise<string> {
  const changes = await amendment((paths) => readFiles(git, tree, paths));
  const paths = [...changes.keys()];
  const found = await findFiles(git, tree, paths);
  const others = paths.filter((path) => !found.some((entry) => entry.path === path));
  const entries = [...found, ...(await filterFree(git, tree, others))];
  if (entries.length === 0) return tree;
  const lines: string[] = [];
  for (const { path, mode } of entries) {
    const input = changes.get(path) ?? "";
    const blob = await git.ask(["hash-object", "-w", "--stdin"], { input });
    lines.push(`${mode} ${blob}\t${path}\0`);
  }
  const gitDir = await git.ask(["rev-parse", "--absolute-git-dir"]);
  return withTemporaryIndex(gitDir, async (index) => {
    const env = { GIT_INDEX_FILE: index };
    await git.ask(["read-tree", tree], { env });
    await git.ask(["update-index", "-z", "--index-info"], { env, input: lines.join("") });
    return git.ask(["write-tree"], { env });
  });
}

async function readFiles(
  git: Git,
  tree: string,
  paths: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const entries = await findFiles(git, tree, paths);
  if (entries.length === 0) return new Map();
  const ids = entries.map(({ blob }) => blob);
  const texts = await readBlobs(git, ids);
  return new Map(entries.map(({ path, blob }) => [path, texts.get(blob) ?? ""]));
}

interface NewEntry {
  readonly path: string;
  readonly mode: string;
}

interface FileEntry extends NewEntry {
  readonly blob: string;
}

/** Paths at which the tree has nothing, in folders or in nothing. */
async function filterFree(git: Git, tree: string, paths: readonly string[]): Promise<NewEntry[]> {
  const free: NewEntry[] = [];
  for (const path of paths) {
    if (await isFree(git, tree, path.split("/"))) free.push({ path, mode: "100644" });
  }
  return free;
}

async function isFree(git: Git, tree: string, parts: readonly string[]): Promise<boolean> {
  for (const at of parts.keys()) {
    const path = parts.slice(0, at + 1).join("/");
    const entry = await git.ask(["ls-tree", "-z", "--full-tree", tree, "--", path]);
    if (entry === "") return true;
    if (!entry.startsWith("040000 ")) return false;
  }
  return false;
}

const PLAIN_FILE = /^(?<mode>100(?:644|755)) blob (?<blob>[0-9a-f]+)\t(?<path>.+)$/s;

async function findFiles(git: Git, tree: string, paths: readonly string[]): Promise<FileEntry[]> {
  if (paths.length === 0) return [];
  return plainFiles(await git.ask(["ls-tree", "-z", "--full-tree", tree, "--", ...paths]));
}

/** Of what `git ls-tree -z` lists. */
export const plainFiles = (listed: string): FileEntry[] =>
  listed.split("\0").flatMap((entry) => {
    const found = PLAIN_FILE.exec(entry)?.groups;
    if (found === undefined) return [];
    const { mode = "", blob = "", path = "" } = found;
    return [{ path, mode, blob }];
  });
