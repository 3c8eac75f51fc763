// The first commit of a repository: the same in every clone, so it names the repository.

import { join } from "node:path";
import { SagaError } from "../../errors.ts";
import { makeFolder, readTextIfThere, replaceFile } from "../../machine/files/files.ts";
import type { Repository } from "../repository.ts";

export async function rootCommit({ git, commonDir }: Repository): Promise<string> {
  const folder = join(commonDir, "saga");
  const file = join(folder, "root-commit");
  const known = readTextIfThere(file)?.trim();
  if (known !== undefined && COMMIT.test(known)) return known;
  if ((await git.ask(["rev-parse", "--is-shallow-repository"])) === "true") {
    throw new SagaError("not-ready", "This clone is shallow: it lacks the first commit.", {
      hint: "Fetch the whole history: `git fetch --unshallow`.",
    });
  }
  // A history that was joined from several has several first commits.
  const roots = (await git.ask(["rev-list", "--max-parents=0", "HEAD"])).split("\n");
  const [root = ""] = roots.toSorted();
  // Reading a long history takes seconds.
  makeFolder(folder);
  replaceFile(file, `${root}\n`);
  return root;
}

const COMMIT = /^[0-9a-f]{40,64}$/;
