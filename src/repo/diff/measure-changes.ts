// Measures the changes in a worktree since its last commit, including new files. It is called again and again while an
// agent works, so it takes no lock, writes nothing, and reads a limited amount.

import { createReadStream } from "node:fs";
import { lstat } from "node:fs/promises";
import { join } from "node:path";
import type { Git } from "../../machine/programs/git.ts";
import { diskPath } from "../../machine/files/raw-bytes.ts";
import { isLockFile } from "../../story/review/path-kinds.ts";
import { readWorkingFiles, type WorkingFiles } from "./working-files.ts";

export interface ChangeSize {
  readonly files: number;
  /** Added and deleted lines. */
  readonly lines: number;
}

/** More than this exceeds every limit, so there is no need to count further. */
const MAX_NEW_FILES = 1_000;
const MAX_READ_BYTES = 4_000_000;

/** Counts the project's own files, without Saga's files, lock files and excluded paths. */
export async function measureChanges(
  git: Git,
  exclude: readonly string[],
  /** As they are now, if that is known. */
  files?: WorkingFiles,
): Promise<ChangeSize> {
  const left = [".saga", ...exclude];
  const isCounted = (path: string): boolean =>
    !isLockFile(path) && !left.some((one) => path === one || path.startsWith(`${one}/`));
  const { changed, untracked } = files ?? (await readWorkingFiles(git, left));
  const added = untracked.filter(isCounted);
  const known = changed.some(isCounted) ? await countChangedLines(git, left) : [];
  const counted = known.filter(({ path }) => !isLockFile(path));
  let lines = counted.reduce((sum, file) => sum + file.lines, 0);
  let leftBytes = MAX_READ_BYTES;
  for (const path of added.slice(0, MAX_NEW_FILES)) {
    const file = await countLines(join(git.folder, path), leftBytes);
    lines += file.lines;
    leftBytes -= file.bytes;
    if (leftBytes <= 0) break;
  }
  return { files: counted.length + added.length, lines };
}

async function countChangedLines(
  git: Git,
  exclude: readonly string[],
): Promise<readonly { readonly path: string; readonly lines: number }[]> {
  const paths = [".", ...exclude.map((one) => `:(top,exclude,literal)${one}`)];
  const changed = await git.ask(
    ["diff", "--numstat", "-z", "--no-renames", "--no-ext-diff", "HEAD", "--", ...paths],
    { env: { GIT_OPTIONAL_LOCKS: "0" } },
  );
  return changed.split("\0").flatMap((record) => {
    const [added = "", deleted = "", path = ""] = record.split("\t");
    // For binary files git prints dashes.
    return path === "" ? [] : [{ path, lines: (Number(added) || 0) + (Number(deleted) || 0) }];
  });
}

/** Zero lines for binary files and files that have disappeared; one for anything that is not a regular file. */
async function countLines(
  file: string,
  maxBytes: number,
): Promise<{ readonly lines: number; readonly bytes: number }> {
  let [lines, bytes, last] = [0, 0, NEW_LINE];
  try {
    // Git counts a symlink as one line, and reading a pipe would never end.
    if (!(await lstat(diskPath(file))).isFile()) return { lines: 1, bytes: 0 };
    for await (const chunk of createReadStream(diskPath(file), { end: maxBytes - 1 })) {
      const data = chunk as Buffer;
      if (data.includes(0)) return { lines: 0, bytes: data.length };
      for (const byte of data) if (byte === NEW_LINE) lines++;
      bytes += data.length;
      last = data.at(-1) ?? last;
    }
  } catch {
    return { lines, bytes };
  }
  return { lines: last === NEW_LINE ? lines : lines + 1, bytes };
}

const NEW_LINE = 10;
