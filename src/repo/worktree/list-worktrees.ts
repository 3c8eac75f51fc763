// The worktrees that git lists, matched with the links in this repository's files.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { SagaError } from "../../errors.ts";
import type { Repository } from "../repository.ts";
import { gitLinkOf, linkedFolder, gitDirsOf, isSamePath } from "./git-links.ts";

export interface ListedWorktree {
  readonly folder: string;
  /** Undefined for the repository's main checkout. */
  readonly gitDir: string | undefined;
  readonly head: string | undefined;
  readonly branch: string | undefined;
  readonly lock: string | undefined;
  /** Whether the folder exists and belongs to this repository. */
  readonly isPresent: boolean;
}

export async function listWorktrees(repository: Repository): Promise<ListedWorktree[]> {
  const gitDirs = gitDirsOf(repository).map((gitDir) => ({ gitDir, folder: linkedFolder(gitDir) }));
  const text = await repository.git.ask(["worktree", "list", "--porcelain", "-z"]);
  return text
    .split("\0\0")
    .filter((record) => record !== "")
    .map((record, at) => {
      const listed = parseWorktree(record);
      const { folder } = listed;
      const gitDir = gitDirs.find((one) => isSamePath(one.folder, folder))?.gitDir;
      return {
        ...listed,
        gitDir,
        // The first is the repository's main checkout, which has no links.
        isPresent: at === 0 || (gitDir !== undefined && isLinked(repository, folder, gitDir)),
      };
    });
}

/** A record of `git worktree list --porcelain -z`. */
export function parseWorktree(
  record: string,
): Pick<ListedWorktree, "folder" | "head" | "branch" | "lock"> {
  const fields = new Map(record.split("\0").map(keyAndValue));
  const folder = fields.get("worktree");
  if (folder === undefined) throw new SagaError("bug", "git lists a worktree without a path.");
  return {
    folder,
    // Zeros: the branch has no commit yet.
    head: /^0*$/.test(fields.get("HEAD") ?? "") ? undefined : fields.get("HEAD"),
    branch: fields.get("branch")?.replace("refs/heads/", ""),
    lock: fields.get("locked"),
  };
}

function isLinked(repository: Repository, folder: string, gitDir: string): boolean {
  if (!existsSync(join(folder, ".git"))) return false;
  const link = gitLinkOf(repository, folder);
  return link.kind === "ours" && isSamePath(link.gitDir, gitDir);
}

function keyAndValue(line: string): [key: string, value: string] {
  const space = line.indexOf(" ");
  return space === -1 ? [line, ""] : [line.slice(0, space), line.slice(space + 1)];
}
