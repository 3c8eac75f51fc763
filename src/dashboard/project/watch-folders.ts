// Tells when something below a folder changes. One watch for each folder and none for files: a project of a
// thousand stories has twelve thousand files, and a watch on each takes two seconds and twice the memory.
//
// A folder that is new is told with everything in it, because files may have come before its watch did. One that
// was removed and made again under the same name is known by its birth: numbers of folders are used again.

import { readdirSync, statSync, watch, type Dirent, type FSWatcher } from "node:fs";
import { basename, dirname, join } from "node:path";
import { messageOf } from "../../errors.ts";
import { errorCode, ifThere } from "../../machine/files/files.ts";
import type { Watching } from "./change.ts";

export interface FolderWatch {
  /** Looks at every folder once more, for what the system did not tell. */
  readonly check: () => void;
  readonly close: () => void;
}

export interface FolderWatching {
  /** Paths are from the top, which is the empty one; the names beside it are read when asked for. */
  readonly watchingOf: (path: string, siblings: () => readonly string[]) => Watching;
  readonly onChange: (path: string) => void;
  /** Why a folder cannot be watched: the system's limit, for example. */
  readonly onFault: (sentence: string) => void;
}

interface Watched {
  readonly watcher: FSWatcher;
  readonly birth: string;
}

export function watchFolders(top: string, { watchingOf, onChange, onFault }: FolderWatching) {
  const folders = new Map<string, Watched>();
  const full = (path: string): string => join(top, path);
  const below = (path: string, name: string): string => (path === "" ? name : `${path}/${name}`);

  const attach = (path: string, birth: string): void => {
    try {
      // Not what keeps the process alive: whoever watches decides how long.
      const watcher = watch(full(path), { persistent: false });
      watcher.on("change", (kind, name) => onEvent(path, kind, String(name ?? "")));
      watcher.on("error", () => detach(path));
      folders.set(path, { watcher, birth });
    } catch (error) {
      // Gone again already: that is told by the folder it was in.
      if (errorCode(error) === "ENOENT") return;
      onFault(`${full(path)} cannot be watched: ${messageOf(error)}`);
    }
  };

  const detach = (path: string): void => {
    for (const [other, { watcher }] of folders) {
      if (other !== path && !other.startsWith(`${path}/`)) continue;
      watcher.close();
      folders.delete(other);
    }
  };

  const onEvent = (path: string, kind: string, name: string): void => {
    // A folder that goes tells so by its own name.
    if (path !== "" && name === basename(path)) settleParent(path);
    const child = name === "" ? path : below(path, name);
    onChange(child);
    if (kind === "rename") settle(child, true);
  };

  const settleParent = (path: string): void => {
    if (birthOf(full(path)) !== folders.get(path)?.birth) detach(path);
    settle(path, true);
    onChange(dirname(path) === "." ? "" : dirname(path));
  };

  /** Brings the watches below a path in line with the folders that are there. */
  const settle = (path: string, tellsNew: boolean): void => {
    const siblings = (): string[] => entriesOf(dirname(full(path))).map(({ name }) => name);
    const watching = watchingOf(path, siblings);
    if (watching === undefined) return;
    const birth = birthOf(full(path));
    const known = folders.get(path);
    if (known && known.birth !== birth) detach(path);
    if (birth === undefined) return;
    const isNew = folders.get(path) === undefined;
    if (isNew) attach(path, birth);
    if (watching === "leaf" && !(isNew && tellsNew)) return;
    for (const entry of entriesOf(full(path))) {
      const child = below(path, entry.name);
      if (isNew && tellsNew) onChange(child);
      if (entry.isDirectory()) settle(child, tellsNew);
    }
  };

  settle("", false);
  return {
    check: () => {
      for (const path of folders.keys()) {
        if (birthOf(full(path)) === undefined) detach(path);
      }
      settle("", true);
    },
    close: () => detachAll(folders),
  } satisfies FolderWatch;
}

function detachAll(folders: Map<string, Watched>): void {
  for (const { watcher } of folders.values()) watcher.close();
  folders.clear();
}

/** Nothing for what is no folder, or is gone. */
function birthOf(path: string): string | undefined {
  const found = ifThereOrClosed(() => statSync(path, { bigint: true }));
  return found?.isDirectory() ? `${found.ino} ${found.birthtimeNs}` : undefined;
}

const entriesOf = (path: string): readonly Dirent[] =>
  ifThereOrClosed(() => readdirSync(path, { withFileTypes: true })) ?? [];

/** What may not be looked into is not watched either. */
function ifThereOrClosed<T>(look: () => T): T | undefined {
  try {
    return ifThere(look);
  } catch {
    return undefined;
  }
}
