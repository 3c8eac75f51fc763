// The project's `.saga` with every story's worktree in it, and the lists of the pool, watched: which subject has
// changed.

import { isWorktree, layoutOf } from "../../store/project/layout.ts";
import type { PoolView } from "../views/pool-view.ts";
import { subjectOf, watchingOf, type Subject } from "./change.ts";
import { watchTree, type TreeWatch } from "./watch-tree.ts";

interface Watched {
  readonly onSubject: (subject: Subject) => void;
  readonly onFault: (sentence: string) => void;
}

export function watchProject(project: string, { onSubject, onFault }: Watched): TreeWatch {
  const { saga } = layoutOf(project);
  return watchTree(saga, {
    watchingOf: (path, siblings) =>
      watchingOf(path, { siblings, isWorktree: (one) => isWorktree(`${saga}/${one}`) }),
    onChange: (path) => {
      const subject = subjectOf(path);
      if (subject) onSubject(subject);
    },
    onFault,
  });
}

/** Which lists there are may change: it is asked for again with each check. */
export function watchLists(pool: PoolView, onSubject: (subject: Subject) => void): TreeWatch {
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
      else watches.set(folder, watchList(folder, onSubject));
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

const watchList = (folder: string, onSubject: (subject: Subject) => void): TreeWatch =>
  watchTree(folder, {
    watchingOf: (path) => (path === "" ? "leaf" : undefined),
    onChange: () => onSubject({ kind: "pool" }),
    // It is looked at again and again while someone works on it.
    onFault: () => undefined,
  });
