// Two clones of one bare remote, as two machines have them.

import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Repository } from "../../src/repo/repository.ts";
import { newFolder } from "./project.ts";
import { atFolder, newRepository, placeIn, type TestRepository } from "./repository.ts";

export interface Clone extends TestRepository {
  readonly repository: Repository;
}

export interface Clones {
  readonly ann: Clone;
  readonly bob: Clone;
  /** The refs at the remote, with their commits. */
  readonly remoteRefs: () => Readonly<Record<string, string>>;
  readonly remote: string;
}

export async function newClones(): Promise<Clones> {
  const first = newRepository("ann");
  first.git("add", "--all");
  first.git("commit", "--quiet", "--message=story");
  const remote = join(first.path, "../remote.git");
  execFileSync("git", ["clone", "--quiet", "--bare", first.path, remote]);
  first.git("remote", "add", "origin", remote);
  first.git("fetch", "--quiet", "origin");
  first.git("remote", "set-head", "origin", "main");
  const second = newFolder("bob");
  execFileSync("git", ["clone", "--quiet", remote, second.path]);
  const bob = atFolder(second);
  return {
    ann: { ...first, repository: await first.open() },
    bob: { ...bob, repository: await bob.open() },
    remote,
    remoteRefs() {
      const args = ["for-each-ref", "--format=%(refname) %(objectname)"];
      const rows = execFileSync("git", args, { cwd: remote, encoding: "utf8" }).trim().split("\n");
      return Object.fromEntries(rows.map((row) => row.split(" ") as [string, string]));
    },
  };
}

/** A commit with one file, on the story's branch in the worktree of a clone. */
export function commitIn(clone: Clone, name: string): string {
  const folder = placeIn(clone);
  writeFileSync(join(folder, name), name);
  clone.gitIn(folder, "add", "--all");
  clone.gitIn(folder, "commit", "--quiet", `--message=${name}`);
  return clone.gitIn(folder, "rev-parse", "HEAD");
}
