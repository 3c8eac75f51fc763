// Whether a shell command of a story's agent may run. A guard rail, not a wall: it reads the command
// as far as it can, and stops what plainly reaches other stories or the main checkout. What it cannot
// read passes: a script, a program's own language, a path in a variable. The diff gate sees the rest.

import { homedir, tmpdir } from "node:os";
import { basename, dirname, resolve } from "node:path";
import { groundOf } from "../scope/roots.ts";
import { LONGEST_PATH } from "../scope/resolve.ts";
import type { Scope, Verdict } from "../scope/scope.ts";
import { argumentsOf, wrappedIn, type Words } from "./arguments.ts";
import { BEGIN, END_FUNCTION, readCommands } from "./parse.ts";
import { searchUse } from "./find.ts";
import { gitUse } from "./git.ts";
import { refusalOfChange, verdictOn, type ShellRefusal } from "./targets.ts";
import { changes, changesOf, type Change } from "./programs.ts";
import { isShared, mainBranch, realFolder } from "./repository.ts";
import { HERE, isPlain, UNKNOWN } from "./words.ts";

export interface CommandUse {
  readonly tool: string;
  readonly command: string;
  /** Where the shell stands when it begins. */
  readonly cwd: string;
}

export function judgeCommand(scope: Scope, { tool, command, cwd }: CommandUse): Verdict {
  const here = resolve(scope.worktree, cwd);
  const budget = { left: MAX_JUDGED };
  const shell: Shell = { scope, here, budget, settings: [], made: new Set(), links: [] };
  return verdictOn(tool, refusalOfText(shell, command, 0));
}

/** A shell on its way through a command. */
interface Shell {
  readonly scope: Scope;
  /** The folder that it stands in, while that is known. */
  here: string | undefined;
  /** How many more paths are judged, here and in the shells that it starts. */
  readonly budget: { left: number };
  /** What variables tell git, as options. */
  readonly settings: Words;
  /** Where repositories were made on the way. */
  readonly made: Set<string>;
  /** Links that were made on the way, and where they lead: the disk does not have them yet. */
  readonly links: [link: string, target: string][];
}

/** Each asks the disk: a list of a hundred thousand files must not hold the agent up. */
const MAX_JUDGED = 2000;
/** Commands in commands, as `sudo sh -c "xargs rm"` has two. */
const MAX_INNER = 8;

function refusalOfText(shell: Shell, text: string, depth: number): ShellRefusal | undefined {
  const outer: (string | undefined)[] = [];
  for (const step of readCommands(text, variablesIn(text))) {
    if (step === BEGIN) outer.push(shell.here);
    else if (typeof step === "number") {
      const inner = shell.here;
      shell.here = outer.pop();
      // Whoever calls the function is left where it went: that may be either place from here on.
      if (step === END_FUNCTION && inner !== shell.here) shell.here = undefined;
    } else {
      const refusal =
        refusalOfChanges(shell, changes(step.writes)) ?? refusalOfProgram(shell, step.words, depth);
      if (refusal !== undefined) return refusal;
    }
  }
  return undefined;
}

/** A name that the command itself gives a value is as unknown as any other. */
function variablesIn(text: string): ReadonlyMap<string, string> {
  const known = { HOME: homedir(), TMPDIR: tmpdir(), PWD: HERE };
  return new Map(Object.entries(known).filter(([name]) => !text.includes(`${name}=`)));
}

function refusalOfChanges(shell: Shell, all: readonly Change[]): ShellRefusal | undefined {
  for (const change of all) {
    if (shell.budget.left-- <= 0) return undefined;
    const refusal = [change, ...behindLinks(shell, change)]
      .map((one) => refusalOfChange(shell.scope, shell.here, one))
      .find(Boolean);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

function behindLinks({ links, here }: Shell, { word, how }: Change): readonly Change[] {
  const path = folderFrom(here, word) ?? "";
  return links.flatMap(([link, target]) => {
    // The link itself may be taken away.
    const isBehind = how === "gone" ? path !== link && path : `${path}/`;
    return isBehind && isBehind.startsWith(`${link}/`)
      ? { word: target + path.slice(link.length), how }
      : [];
  });
}

/** By its own name, or in a folder by that of its target. */
function noteLink({ links, here }: Shell, args: Words): void {
  const [target = "", name = "."] = argumentsOf(args, "").operands;
  for (const word of [name, `${name}/${basename(target)}`]) {
    const link = folderFrom(here, word);
    const to = link && folderFrom(dirname(link), target);
    if (to) links.push([link, to]);
  }
}

function refusalOfProgram(shell: Shell, words: Words, depth: number): ShellRefusal | undefined {
  if (depth > MAX_INNER) return undefined;
  const first = words.findIndex((word) => !/^\w+=/.test(word));
  if (first > 0) {
    const settings = [...shell.settings, ...words.slice(0, first).map(optionOf)];
    return refusalOfProgram({ ...shell, settings }, words.slice(first), depth + 1);
  }
  const [name = "", ...args] = words;
  const program = basename(name);
  const wrapped = wrappedIn(program, args);
  if (wrapped !== undefined) return refusalOfProgram(shell, wrapped, depth + 1);
  if (program === "cd" || program === "pushd") {
    const to = args.find((arg) => arg === "-" || !arg.startsWith("-")) ?? homedir();
    shell.here = to === "-" ? undefined : folderFrom(shell.here, to);
  }
  if (program === "popd") shell.here = undefined;
  if (program === "eval") return refusalOfInner(shell, args.join(" "), depth);
  if (/^(?:ba|da|k|z)?sh$/.test(program)) {
    // A file of commands is not looked into.
    const { operands, has } = argumentsOf(args, "+ o O");
    return has("c") ? refusalOfInner({ ...shell }, operands[0] ?? "", depth) : undefined;
  }
  if (program === "git") return refusalOfGit(shell, args);
  if (program === "find") return refusalOfSearch(shell, args, depth);
  const refusal = refusalOfChanges(shell, changesOf(program, args));
  if (program === "ln") noteLink(shell, args);
  return refusal;
}

/** `GIT_DIR=x` as `--git_dir=x`: no option of git's own is spelt like that. */
const optionOf = (setting: string): string =>
  setting.replace(/^\w+/, (name) => `--${name.toLowerCase()}`);

/** As `cd` itself sees it: a `..` leads back to where a link was. */
function folderFrom(here: string | undefined, word: string): string | undefined {
  const path = word.replaceAll(HERE, here ?? UNKNOWN);
  const folder = path.startsWith("/") ? path : `${here ?? UNKNOWN}/${path}`;
  return isPlain(folder) && folder.length < LONGEST_PATH ? resolve(folder) : undefined;
}

function refusalOfInner(shell: Shell, word: string, depth: number): ShellRefusal | undefined {
  const text = word.replaceAll(HERE, shell.here ?? HERE);
  return isPlain(text) ? refusalOfText(shell, text, depth + 1) : undefined;
}

function refusalOfGit(shell: Shell, args: Words): ShellRefusal | undefined {
  const { scope, made, budget } = shell;
  if (budget.left-- <= 0) return undefined;
  const ground = groundOf(scope);
  const use = gitUse([...shell.settings, ...args]);
  const here = use.folders.reduce(folderFrom, shell.here);
  const elsewhere = refusalOfChanges({ ...shell, here }, changes(use.changes));
  if (elsewhere !== undefined) return elsewhere;
  for (const word of use.made) {
    const folder = folderFrom(here, word);
    if (folder !== undefined) made.add(realFolder(ground, folder));
  }
  const from = folderFrom(here, use.repository ?? ".");
  if (from === undefined || !isShared(ground, made, from)) return undefined;
  return use.refusal({ own: `story/${scope.storyId}`, main: mainBranch(ground) });
}

function refusalOfSearch(shell: Shell, args: Words, depth: number): ShellRefusal | undefined {
  const { deleted, commands } = searchUse(args);
  let refusal = refusalOfChanges(shell, deleted);
  for (const words of commands) refusal ??= refusalOfProgram({ ...shell }, words, depth + 1);
  return refusal;
}
