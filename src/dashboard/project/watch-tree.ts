// Watches the folders below one folder. One watch for each folder and none for files: a project of a thousand
// stories has twelve thousand files, and a watch on each takes two seconds and twice the memory.
//
// A new folder is reported with all its entries, because files may have been added before the watch was.

import { readdirSync, type Dirent } from "node:fs";
import { basename, dirname, join } from "node:path";
import { messageOf } from "../../errors.ts";
import { watchFolder, type FolderWatch } from "../../machine/files/watch-folder.ts";
import type { WatchDepth } from "../../store/views/project-change.ts";

export interface TreeWatch {
  /** Finds changes that the system did not report. */
  readonly check: () => void;
  readonly close: () => void;
}

export interface TreeWatchRules {
  /** Paths are relative to the top, whose path is empty. */
  readonly watchDepth: (path: string, siblings: () => readonly string[]) => WatchDepth;
  readonly onChange: (path: string) => void;
  /** A folder cannot be watched, for example because of the system's limit. */
  readonly onError: (message: string) => void;
}

export function watchTree(
  top: string,
  { watchDepth, onChange, onError }: TreeWatchRules,
): TreeWatch {
  const watches = new Map<string, FolderWatch>();
  settle("", false);
  return {
    check() {
      for (const [path, watch] of watches) if (watch.renew()) detach(path);
      settle("", true);
    },
    close() {
      for (const watch of watches.values()) watch.close();
    },
  };

  /** Makes the watches below a path match the folders on disk. */
  function settle(path: string, reportsNew: boolean): void {
    const siblings = (): string[] => entriesOf(dirname(full(path))).map(({ name }) => name);
    const depth = watchDepth(path, siblings);
    if (depth === undefined) return;
    const isNew = attach(path);
    if (depth === "leaf" && !(isNew && reportsNew)) return;
    for (const entry of entriesOf(full(path))) {
      const child = below(path, entry.name);
      if (isNew && reportsNew) onChange(child);
      if (entry.isDirectory()) settle(child, reportsNew);
    }
  }

  /** Returns whether the folder was not watched until now. */
  function attach(path: string): boolean {
    const known = watches.get(path);
    if (known?.renew() === false) return false;
    if (known !== undefined) detach(path);
    const watch = watchFolder(full(path), {
      onEvent: (kind, name) => onEvent(path, kind, name ?? ""),
      onError(error) {
        detach(path);
        onError(`Cannot watch ${full(path)}: ${messageOf(error)}`);
      },
    });
    watch.renew();
    if (watch.isWatching()) watches.set(path, watch);
    return true;
  }

  function detach(path: string): void {
    for (const [other, watch] of watches) {
      if (other !== path && !other.startsWith(`${path}/`)) continue;
      watch.close();
      watches.delete(other);
    }
  }

  function onEvent(path: string, kind: string, name: string): void {
    // A folder that is removed or replaced reports its own name.
    if (path !== "" && name === basename(path)) settleReplaced(path);
    const child = name === "" ? path : below(path, name);
    onChange(child);
    if (kind === "rename") settle(child, true);
  }

  function settleReplaced(path: string): void {
    if (watches.get(path)?.renew()) detach(path);
    settle(path, true);
    onChange(dirname(path) === "." ? "" : dirname(path));
  }

  function full(path: string): string {
    return join(top, path);
  }
}

const below = (path: string, name: string): string => (path === "" ? name : `${path}/${name}`);

/** Empty if the folder is missing or cannot be read. */
function entriesOf(path: string): readonly Dirent[] {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch {
    return [];
  }
}
