// What `find` changes: what it deletes itself, and the commands that it starts on what it finds.

import type { Words } from "./arguments.ts";
import { changes, type Change } from "./programs.ts";
import { ANYTHING } from "./words.ts";

export interface SearchUse {
  readonly deleted: readonly Change[];
  /** Each with what may be found in the place of `{}`. */
  readonly commands: readonly Words[];
}

/** More than a person names. */
const MAX_STARTS = 16;
/** With these alone, it finds nearly everything. */
const FINDS_ALL = /^-(?:delete|d|depth|mindepth|maxdepth|type|print0?)$/;

export function searchUse(args: Words): SearchUse {
  const words = args.filter((arg) => !/^-[HLPO]/.test(arg));
  const first = words.findIndex((word) => /^[-(!]/.test(word));
  const tests = first < 0 ? [] : words.slice(first);
  const named = words.slice(0, words.length - tests.length);
  const starts = named.length > 0 ? named.slice(0, MAX_STARTS) : ["."];
  const below = (name: string): Words => starts.map((start) => `${start}/${name}`);
  const commands: string[][] = [];
  let command: string[] | undefined;
  let isAll = true;
  for (const test of tests) {
    if (/^-(?:exec|ok)/.test(test)) commands.push((command = []));
    else if (/^[;+]$/.test(test)) command = undefined;
    else if (command !== undefined) command.push(test);
    else if (/^-[a-z]/.test(test) && !FINDS_ALL.test(test)) isAll = false;
  }
  const deleted = isAll ? changes(starts, "gone") : changes(below(ANYTHING), "below");
  return {
    deleted: tests.includes("-delete") ? deleted : [],
    commands: commands.map((words) => {
      // Unlike a star, it stands for hidden names as well.
      const isTaken = isAll && /^(?:rm|mv)$/.test(words[0] ?? "");
      const found = [...below(ANYTHING), ...(isTaken ? below(`.${ANYTHING}`) : [])];
      return words.flatMap((word) => (word === "{}" ? found : word));
    }),
  };
}
