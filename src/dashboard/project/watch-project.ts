// Watches the project's `.saga`, with the story of each worktree, and the pool's lists.

import { isWorktree, layoutOf } from "../../store/project/layout.ts";
import type { PoolView } from "../views/pool-view.ts";
import { changeAt, watchDepth, type ProjectChange } from "../../store/views/project-change.ts";
import { watchTree, type TreeWatch } from "./watch-tree.ts";

interface WatchListeners {
  readonly onChange: (change: ProjectChange) => void;
  readonly onError: (message: string) => void;
}

export function watchProject(project: string, { onChange, onError }: WatchListeners): TreeWatch {
  const { saga } = layoutOf(project);
  return watchTree(saga, {
    watchDepth: (path, siblings) =>
      watchDepth(path, { siblings, isWorktree: (one) => isWorktree(`${saga}/${one}`) }),
    onChange: (path) => {
      const change = changeAt(path);
      if (change) onChange(change);
    },
    onError,
  });
}

/** The set of lists may change: each check reads it again. */
export function watchLists(pool: PoolView, onChange: (change: ProjectChange) => void): TreeWatch {
  const watches = new Map<string, TreeWatch>();
  const check = (): void => {
    const folders = new Set(pool.folders());
    for (const [folder, watch] of watches) {
      if (!folders.has(folder)) watch.close();
      if (!folders.has(folder)) watches.delete(folder);
    }
    for (const folder of folders) {
      const known = watches.get(folder);
      if (known) known.check();
      else watches.set(folder, watchList(folder, onChange));
    }
  };
  check();
  return {
    check,
    close: () => {
      for (const watch of watches.values()) watch.close();
    },
  };
}

const watchList = (folder: string, onChange: (change: ProjectChange) => void): TreeWatch =>
  watchTree(folder, {
    watchDepth: (path) => (path === "" ? "leaf" : undefined),
    onChange: () => onChange({ kind: "pool" }),
    // The pool is read every few seconds anyway while it works.
    onError: () => undefined,
  });
