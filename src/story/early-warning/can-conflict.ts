// Whether the changes of two stories can conflict, judged by paths alone. Pure. Most pairs cannot, and need no merge.

import type { ChangedPaths } from "./open-work.ts";

/** False only if a merge cannot conflict. */
export function canConflict(one: ChangedPaths, other: ChangedPaths): boolean {
  if (one.isEverything || other.isEverything) return true;
  const [few, many] = one.paths.length < other.paths.length ? [one, other] : [other, one];
  const places = placesOf(many.paths);
  return (
    few.paths.some((path) => isAt(path, places)) || movesInto(one, other) || movesInto(other, one)
  );
}

/**
 * The files of a merge that both sides have a part in. A file that only one of the two has changed conflicts with what
 * the other has from the target: that is a conflict with the target, and reported as such.
 */
export function conflictsOfBoth(
  files: readonly string[],
  one: ChangedPaths,
  other: ChangedPaths,
): string[] {
  const [ours, theirs] = [placesOf(one.paths), placesOf(other.paths)];
  return files.filter((file) => {
    const isOurs = one.isEverything || isAt(file, ours);
    const isTheirs = other.isEverything || isAt(file, theirs);
    // In neither list: git has moved it along with a renamed folder.
    return isOurs === isTheirs;
  });
}

interface Places {
  readonly paths: ReadonlySet<string>;
  readonly folders: ReadonlySet<string>;
}

function placesOf(paths: readonly string[]): Places {
  return { paths: new Set(paths), folders: new Set(paths.flatMap(foldersOf)) };
}

/** The same file, or a file where the other side has a folder. */
const isAt = (path: string, { paths, folders }: Places): boolean =>
  paths.has(path) || folders.has(path) || foldersOf(path).some((folder) => paths.has(folder));

function movesInto({ emptied }: ChangedPaths, { paths }: ChangedPaths): boolean {
  if (emptied.length === 0) return false;
  const folders = new Set(emptied);
  return paths.some((path) => foldersOf(path).some((folder) => folders.has(folder)));
}

/** Every folder above a path, without the top one. */
function foldersOf(path: string): string[] {
  const folders: string[] = [];
  for (let end = path.indexOf("/"); end !== -1; end = path.indexOf("/", end + 1)) {
    folders.push(path.slice(0, end));
  }
  return folders;
}
