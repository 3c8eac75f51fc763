// Whether git's index lists another repository, read from the index file itself: a process of git for each look would
// cost more than the look. It may say yes without cause, and never no: the caller then asks git.

import { isAbsolute, join } from "node:path";
import { readRegularBytes } from "../files/bounded-file.ts";
import { ifThere } from "../files/files.ts";
import type { Environment } from "../processes/environment.ts";
import type { Git } from "./git.ts";
import { ownGitDir } from "./head.ts";

export function mayListRepositories(git: Git, env: Environment): boolean {
  const file = indexFile(git, env);
  if (file === undefined) return true;
  try {
    const index = ifThere(() => readRegularBytes(file));
    return index !== undefined && mayContainLinks(index);
  } catch {
    return true;
  }
}

/** Every version of the format stores an entry's mode as these four bytes: 160000 is another repository. */
const LINK_MODE = Buffer.from([0x00, 0x00, 0xe0, 0x00]);
/** Extensions that keep entries elsewhere: a split index in a second file, a sparse one in trees. */
const ELSEWHERE = ["link", "sdir"];

export const mayContainLinks = (index: Buffer): boolean =>
  index.includes(LINK_MODE) || ELSEWHERE.some((name) => index.includes(name, 0, "latin1"));

/** Undefined if only git knows. */
function indexFile(git: Git, env: Environment): string | undefined {
  if (env["GIT_DIR"] !== undefined) return undefined;
  const named = env["GIT_INDEX_FILE"];
  if (named !== undefined) return isAbsolute(named) ? named : undefined;
  const gitDir = ownGitDir(git);
  return gitDir && join(gitDir, "index");
}
