// The worktrees that git knows of, in the way this repository's own files name them.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { SagaError } from "../../errors.ts";
import type { Repository } from "../repository.ts";
import { gitLinkOf, linkedFolder, gitDirsOf, isSamePath } from "./git-links.ts";

export interface ListedWorktree {
  readonly folder: string;
  /** Nothing for the repository's own checkout. */
  readonly gitDir: string | undefined;
  readonly head: string | undefined;
  readonly branch: string | undefined;
  readonly lock: string | undefined;
  /** There, and this repository's. */
  readonly isPresent: boolean;
}

export async function listWorktrees(repository: Repository): Promise<ListedWorktree[]> {
  const gitDirs = gitDirsOf(repository).map((gitDir) => ({ gitDir, folder: linkedFolder(gitDir) }));
  const text = await repository.git.ask(["worktree", "list", "--porcelain", "-z"]);
  return text
    .split("\0\0")
    .filter((record) => record !== "")
    .map((record, at) => {
      const fields = new Map(record.split("\0").map(keyAndValue));
      const folder = fields.get("worktree");
      if (folder === undefined) throw new SagaError("bug", "git lists a worktree without a path.");
      const gitDir = gitDirs.find((one) => isSamePath(one.folder, folder))?.gitDir;
      return {
        folder,
        gitDir,
        // The first is the repository's own checkout, which has no pointers.
        isPresent: at === 0 || (gitDir !== undefined && isLinked(repository, folder, gitDir)),
        head: /^0*$/.test(fields.get("HEAD") ?? "") ? undefined : fields.get("HEAD"),
        branch: fields.get("branch")?.replace("refs/heads/", ""),
        lock: fields.get("locked"),
      };
    });
}

function isLinked(repository: Repository, folder: string, gitDir: string): boolean {
  if (!existsSync(join(folder, ".git"))) return false;
  const bond = gitLinkOf(repository, folder);
  return bond.kind === "ours" && isSamePath(bond.gitDir, gitDir);
}

function keyAndValue(line: string): [key: string, value: string] {
  const space = line.indexOf(" ");
  return space === -1 ? [line, ""] : [line.slice(0, space), line.slice(space + 1)];
}
