// Describes a conflict between a story and its target, for the agent or person who resolves it: for each file, what
// each side did to it, and in which commits.

import type { Git } from "../../machine/programs/git.ts";
import type { ArrivedCommit } from "./combine.ts";
import { oneLine } from "../../text/one-line.ts";
import type { ConflictedFile } from "../merge-tips.ts";
import { sharedCommit } from "../refs.ts";

export interface Conflict {
  readonly files: readonly ConflictFile[];
  /** The target's commit. */
  readonly onto: string;
  /** The merge base. Undefined in a shallow clone that does not contain it. */
  readonly base: string | undefined;
}

export interface ConflictFile {
  readonly path: string;
  readonly target: ConflictSide;
  readonly story: ConflictSide;
}

export interface ConflictSide {
  readonly did: "added" | "changed" | "deleted" | "renamed";
  /** The commits that touched the file since the base, newest first. */
  readonly commits: readonly { readonly commit: string; readonly subject: string }[];
}

/** Enough to see what a side did. */
const MAX_COMMITS = 10;

export interface ConflictParts {
  /** The target, joined with work of the story that already arrived in it. */
  readonly ours: string;
  readonly onto: string;
  readonly tip: string;
  readonly arrived: ArrivedCommit | undefined;
  readonly files: readonly ConflictedFile[];
}

export async function readConflict(
  git: Git,
  { ours, onto, tip, arrived, files }: ConflictParts,
): Promise<Conflict> {
  const base = await sharedCommit(git, ours, tip);
  const sides = {
    // Commits that came from the story itself are not the target's.
    target: await openSide(git, base, { tip: onto, without: arrived?.commit }),
    story: await openSide(git, base, { tip, without: undefined }),
  };
  const described: ConflictFile[] = [];
  for (const { path, isInBase, isInOurs, isInTheirs } of files) {
    described.push({
      path,
      target: await sides.target(path, { isInBase, isThere: isInOurs }),
      story: await sides.story(path, { isInBase, isThere: isInTheirs }),
    });
  }
  return { files: described, onto, base };
}

type DescribeSide = (
  path: string,
  has: { readonly isInBase: boolean; readonly isThere: boolean },
) => Promise<ConflictSide>;

async function openSide(
  git: Git,
  base: string | undefined,
  { tip, without }: { readonly tip: string; readonly without: string | undefined },
): Promise<DescribeSide> {
  const renames = base === undefined ? [] : await readRenames(git, base, tip);
  return async (path, { isInBase, isThere }) => {
    // Search for a renamed file under both names: the other side may still use the old one.
    const names = [path, ...renames.filter((pair) => pair.includes(path)).flat()];
    const isRenamed = names.length > 1;
    const written = isInBase ? "changed" : "added";
    const range = [tip, ...[base, without].flatMap((one) => (one === undefined ? [] : `^${one}`))];
    return {
      did: isRenamed ? "renamed" : isThere ? written : "deleted",
      commits: base === undefined ? [] : await commitsOn(git, range, [...new Set(names)]),
    };
  };
}

async function readRenames(git: Git, base: string, tip: string): Promise<[string, string][]> {
  const text = await git.ask(["diff-tree", "-r", "-z", "-M", "--diff-filter=R", base, tip]);
  const parts = text.split("\0");
  const renames: [string, string][] = [];
  for (let from = 0; from + 3 <= parts.length; from += 3) {
    renames.push([parts[from + 1] ?? "", parts[from + 2] ?? ""]);
  }
  return renames;
}

async function commitsOn(git: Git, range: readonly string[], names: readonly string[]) {
  const options = [`--max-count=${MAX_COMMITS}`, "--no-commit-header", "--format=%H %s"];
  const paths = names.map((name) => `:(top,literal)${name}`);
  const text = await git.ask(["rev-list", ...options, ...range, "--", ...paths]);
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const space = line.indexOf(" ");
      return { commit: line.slice(0, space), subject: oneLine(line.slice(space + 1)) };
    });
}

export function conflictText(
  { files }: Pick<Conflict, "files">,
  { branch, target }: { readonly branch: string; readonly target: string },
): string {
  const side = (name: string, { did, commits }: ConflictSide): string => {
    const subjects = commits.map(({ commit, subject }) => `${subject} (${commit.slice(0, 10)})`);
    return `  ${name} ${did} it${subjects.length === 0 ? "" : `: ${subjects.join("; ")}`}`;
  };
  return files
    .flatMap((file) => [
      // A file name may contain line breaks.
      JSON.stringify(file.path).slice(1, -1),
      side(target, file.target),
      side(branch, file.story),
    ])
    .join("\n");
}
