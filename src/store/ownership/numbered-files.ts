// Where the files of owners are: one per name and number. Numbers only grow while a name has any file; the last one counts.

import { lstatSync, rmSync } from "node:fs";
import { join } from "node:path";
import { listNames, makeFolder } from "../../machine/files/files.ts";
import { numbersInFolders, type NumberPaths } from "./number-paths.ts";

export interface NumberedFiles extends NumberPaths {
  readonly isLast: (name: string, number: number) => boolean;
  /** Every name that has a file. */
  readonly names: () => readonly string[];
  /** Makes a place for files of that name. */
  readonly prepare: (name: string) => void;
  /** Removes what earlier owners of the name, and processes that died while they wrote, have left. */
  readonly tidy: (name: string, last: number) => void;
}

/** `<folder>/<name>/<number>.json`. Only the last file is needed, so the others are removed. */
export function foldersOfNumbers(folder: string): NumberedFiles {
  const { path, last } = numbersInFolders(folder);
  return {
    path,
    last,
    isLast: (name, number) => last(name) === number,
    names: () => listNames(folder).filter((name) => !name.startsWith(".")),
    prepare: (name) => makeFolder(join(folder, name)),
    tidy(name, lastNumber) {
      for (const file of listNames(`${folder}/${name}`)) {
        const number = Number(/^\.?(?<number>\d+)\./.exec(file)?.groups?.["number"]);
        const isOutdated = file.startsWith(".") ? number <= lastNumber : number < lastNumber;
        if (isOutdated) rmSync(`${folder}/${name}/${file}`, { force: true });
      }
    },
  };
}

/**
 * `<folder>/<name>.<number>`, for thousands of names: none needs a folder, and the last number is found without listing
 * all of them. So that it can be, a name keeps all its numbers from 1 on, until it is forgotten.
 */
export function flatNumbers(folder: string): NumberedFiles & {
  /** All numbers of all names, lowest first. */
  readonly all: () => ReadonlyMap<string, readonly number[]>;
} {
  const path = (name: string, number: number): string => `${folder}/${name}.${number}`;
  // Unlike `existsSync`, and `statSync` from Node 22 on, it fails when a file is in place of the folder.
  const exists = (name: string, number: number): boolean =>
    lstatSync(path(name, number), { throwIfNoEntry: false }) !== undefined;
  const all = (): Map<string, number[]> => {
    const found = new Map<string, number[]>();
    for (const file of listNames(folder)) {
      const { name, number } = /^(?<name>[^.]+)\.(?<number>\d+)$/.exec(file)?.groups ?? {};
      if (name === undefined) continue;
      found.set(name, [...(found.get(name) ?? []), Number(number)]);
    }
    for (const numbers of found.values()) numbers.sort((one, other) => one - other);
    return found;
  };
  return {
    path,
    last(name) {
      let number = 0;
      while (exists(name, number + 1)) number++;
      return number;
    },
    isLast: (name, number) => !exists(name, number + 1),
    names: () => [...all().keys()],
    all,
    prepare: () => undefined,
    tidy: () => undefined,
  };
}
