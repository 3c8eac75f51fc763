// Where the file with a number is, for those that only read.

import { listNames } from "../../machine/files/files.ts";

export interface NumberPaths {
  readonly path: (name: string, number: number) => string;
  /** The highest number of a name; 0 when it has none. */
  readonly last: (name: string) => number;
}

/** `<folder>/<name>/<number>.json` */
export const numbersInFolders = (folder: string): NumberPaths => ({
  path: (name, number) => `${folder}/${name}/${number}.json`,
  // The number of a name without one is 0.
  last: (name) =>
    Math.max(
      0,
      ...listNames(`${folder}/${name}`).map((file) => Number(/^\d+(?=\.json$)/.exec(file))),
    ),
});
