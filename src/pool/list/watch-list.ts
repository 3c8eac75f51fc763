// The system's word on what changes in one folder. It is about that very folder: when another is put in
// its place, or when it appears later, it has to be begun anew.

import { statSync, watch, type FSWatcher } from "node:fs";
import { ifThere } from "../../machine/files/files.ts";

export interface ListWatch {
  /** Begins where that is needed and possible. Whether it is watching now. */
  readonly renew: () => boolean;
  readonly close: () => void;
}

export interface WatchOptions {
  /** Nothing when the system does not say which. */
  readonly onName: (name: string | undefined) => void;
  readonly onFault: (error: unknown) => void;
}

export function newListWatch(folder: string, { onName, onFault }: WatchOptions): ListWatch {
  let watcher: FSWatcher | undefined;
  let watched: bigint | undefined;
  const stop = (): void => {
    watcher?.close();
    watcher = undefined;
    watched = undefined;
  };
  const begin = (inode: bigint): void => {
    try {
      const begun = watch(folder, (_, name) => onName(name ?? undefined));
      begun.on("error", (error) => {
        if (watcher === begun) stop();
        onFault(error);
      });
      watcher = begun;
      watched = inode;
    } catch (error) {
      // Too many watchers on this machine, or the folder has gone again.
      onFault(error);
    }
  };
  return {
    renew() {
      const inode = ifThere(() => statSync(folder, { bigint: true }).ino);
      if (inode === watched) return watcher !== undefined;
      stop();
      if (inode !== undefined) begin(inode);
      return watcher !== undefined;
    },
    close: stop,
  };
}
