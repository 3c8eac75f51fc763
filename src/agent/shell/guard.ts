// Whether a shell command of a story's agent may run. It keeps honest agents from mistakes: plain redirections, file
// commands and git commands that reach other stories, `.git` or a place outside the worktree. What it cannot read
// passes: a script, a variable, another program. The sandbox is the barrier, and the diff gate sees the result.

import { basename, resolve } from "node:path";
import { rootsOf } from "../scope/roots.ts";
import type { Scope, ScopedCall, ScopeVerdict } from "../scope/scope.ts";
import { textOf } from "../scope/tool-paths.ts";
import { changesFiles, isShared, parseGit, refusalInShared } from "./git.ts";
import { readCommands } from "./parse.ts";
import { changesOf, written, type ShellChange } from "./programs.ts";
import { absolute, refusalOfChange, temporaryFolder, type ShellRefusal } from "./targets.ts";

export function judgeCommand(scope: Scope, { tool, input, cwd }: ScopedCall): ScopeVerdict {
  const shell: ShellState = {
    scope,
    cwd: resolve(scope.worktree, cwd),
    left: MAX_JUDGED,
    hasOwnRepository: false,
    refusal: undefined,
  };
  readText(shell, textOf(input, "command") ?? "");
  if (shell.refusal === undefined) return { isAllowed: true };
  const { what, because, instead } = shell.refusal;
  return { isAllowed: false, reason: `${tool} may not change ${what}: ${because}. ${instead}` };
}

interface ShellState {
  readonly scope: Scope;
  /** Undefined where only the shell knows. */
  cwd: string | undefined;
  /** How many more paths are judged. */
  left: number;
  /** The command makes a repository, where git's commands are free. */
  hasOwnRepository: boolean;
  /** The first one. */
  refusal: ShellRefusal | undefined;
}

/** Each is looked up on the disk: a long list of files must not delay the agent. */
const MAX_JUDGED = 2000;

function readText(shell: ShellState, text: string): void {
  const outer: (string | undefined)[] = [];
  // A variable that the command sets itself is unknown.
  const known = new Set(["HOME", "PWD", "TMPDIR"].filter((name) => !text.includes(`${name}=`)));
  readCommands(text, {
    enter: () => outer.push(shell.cwd),
    leave: () => (shell.cwd = outer.pop()),
    variable: (name) => (known.has(name) ? valueOf(shell, name) : undefined),
    command: (words, writes) => {
      judgeChanges(shell, written(writes));
      judgeProgram(shell, words);
    },
  });
}

function valueOf({ cwd }: ShellState, name: string): string | undefined {
  if (name === "PWD") return cwd;
  return name === "HOME" ? home() : temporaryFolder();
}

// Loaded when needed: a hook script starts for every command.
const home = (): string => process.getBuiltinModule("node:os").homedir();

function judgeChanges(shell: ShellState, changes: readonly ShellChange[], cwd = shell.cwd): void {
  for (const change of changes) {
    if (shell.refusal !== undefined || shell.left-- <= 0) return;
    shell.refusal = refusalOfChange(shell.scope, cwd, change);
  }
}

/** Programs that run another. */
const WRAPPER = /^(?:sudo|env|command|exec|nohup|time|timeout|nice|xargs)$/;
/** What may come between a wrapper and its program: options, variables, numbers, the placeholder of xargs. */
const WRAPPER_ARGUMENT = /^(?:-.*|\w+=.*|[\d.]+[smhd]?|\{\})$/s;

function judgeProgram(shell: ShellState, words: readonly string[]): void {
  const isWrapped = WRAPPER.test(words[0] ?? "");
  const start = isWrapped
    ? words.findIndex((word) => !WRAPPER.test(word) && !WRAPPER_ARGUMENT.test(word))
    : 0;
  if (start < 0) return;
  const program = basename(words[start] ?? "");
  const args = words.slice(start + 1);
  if (program === "cd" || program === "pushd") {
    const to = args.find((arg) => arg === "-" || !arg.startsWith("-")) ?? home();
    shell.cwd = to === "-" ? undefined : folderFrom(shell.cwd, to);
  } else if (program === "popd") shell.cwd = undefined;
  else if (/^(?:ba|z)?sh$/.test(program)) {
    const { cwd } = shell;
    const option = args[0]?.startsWith("-") ? args.findIndex((arg) => /^-\w*c$/.test(arg)) : -1;
    if (option >= 0) readText(shell, args[option + 1] ?? "");
    shell.cwd = cwd;
  } else if (program === "git") judgeGit(shell, args);
  else judgeChanges(shell, changesOf(program, args));
}

/** As `cd` sees it: `..` leaves a link, not its target. */
function folderFrom(cwd: string | undefined, word: string): string | undefined {
  const path = absolute(cwd, word);
  return path === undefined ? undefined : resolve(path);
}

function judgeGit(shell: ShellState, args: readonly string[]): void {
  const git = parseGit(args);
  const cwd = git.folders.reduce(folderFrom, shell.cwd);
  if (git.name === "clone") judgeChanges(shell, written(git.args.operands.slice(1)), cwd);
  if (/^(?:clone|init)$/.test(git.name)) shell.hasOwnRepository = true;
  if (changesFiles(git)) judgeChanges(shell, written(["."]), cwd);
  if (shell.refusal !== undefined || shell.hasOwnRepository || cwd === undefined) return;
  const roots = rootsOf(shell.scope);
  const refusal = refusalInShared(roots, git);
  if (refusal !== undefined && isShared(roots, cwd)) shell.refusal = refusal;
}
