// A repository whose changes are read, commit by commit.

import { openGit, type Git } from "../../src/machine/programs/git.ts";
import { readAddedText } from "../../src/repo/diff/added-text.ts";
import { readChanges } from "../../src/repo/diff/changes.ts";
import { newRepository, type TestRepository } from "./repository.ts";

export interface ChangedRepository {
  readonly repository: TestRepository;
  readonly git: Git;
  readonly commit: () => string;
}

/** With everything committed. */
export function start(): ChangedRepository {
  const repository = newRepository();
  const commit = (): string => {
    repository.git("add", "--all");
    repository.git("commit", "--quiet", "--allow-empty", "--message=next");
    return repository.git("rev-parse", "HEAD");
  };
  commit();
  return { repository, git: openGit(repository.path, repository.env), commit };
}

export async function addedIn(git: Git, from: string, to: string): Promise<Record<string, string>> {
  const added: Record<string, string> = {};
  for await (const { path, text } of readAddedText(git, (await readChanges(git, from, to)).files)) {
    added[path] = text;
  }
  return added;
}

export const text = (lines: number, mark = ""): string =>
  Array.from({ length: lines }, (_, i) => `line ${i}${mark}\n`).join("");
