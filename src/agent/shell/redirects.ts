// The files that a plain command sends its output to. `npm test > out.txt` is what agents write most, and needs no more
// of the guard than this: a hook script judges it without loading the rest.

import { resolve } from "node:path";
import type { Scope, Verdict } from "../scope/scope.ts";
import { refusalOfChange, verdictOn } from "./targets.ts";

/** Nothing that quotes, lists, substitutes, groups or goes on in another line: words, pipes and what joins commands. */
const PLAIN = /^[\w \t./,:=@%+|&;>-]*$/;
/** They change what a path behind them means. */
const MOVES: ReadonlySet<string> = new Set(["cd", "pushd", "popd", "case"]);
const WRITE = />(>|&)?[ \t]*([\w./,:=@%+-]+)/g;
/** A person writes two. */
const MOST_WRITES = 20;

/**
 * Nothing where there is more to a command than that. Only for one in which a glance has seen no program that the guard
 * knows.
 */
export function plainWrites(command: string): readonly string[] | undefined {
  if (!PLAIN.test(command) || command.includes("&>&")) return undefined;
  if (command.split(/\W+/).some((word) => MOVES.has(word))) return undefined;
  const writes: string[] = [];
  const rest = command.replaceAll(WRITE, (_, how: string | undefined, word: string) => {
    // `>&1` and `>&-` are about streams.
    if (how !== "&" || !/^[\d-]+$/.test(word)) writes.push(word);
    return " ";
  });
  return rest.includes(">") || writes.length > MOST_WRITES ? undefined : writes;
}

export function judgeWrites(
  scope: Scope,
  { tool, writes, cwd }: { tool: string; writes: readonly string[]; cwd: string },
): Verdict {
  const here = resolve(scope.worktree, cwd);
  for (const word of writes) {
    const refusal = refusalOfChange(scope, here, { word, how: "at" });
    if (refusal !== undefined) return verdictOn(tool, refusal);
  }
  return verdictOn(tool, undefined);
}
