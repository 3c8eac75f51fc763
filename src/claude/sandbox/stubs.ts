// What the sandbox puts into a worktree: an empty file wherever a command must not write and nothing
// is. Claude Code takes them away after each command, but not when it is ended in the middle of one.

import { lstatSync, rmSync, type Stats } from "node:fs";
import { join } from "node:path";
import { ifThere, listNames } from "../../machine/files/files.ts";

/**
 * What is not to be committed while commands may run, from the top of the worktree: stubs, and the
 * names where one may appear at any moment.
 */
export function stubPlaces(worktree: string): string[] {
  const claude = entryAt(join(worktree, ".claude"));
  const names = claude === undefined || isOpen(claude) ? [...TOP, ...IN_CLAUDE] : TOP;
  const free = names.filter((name) => entryAt(join(worktree, name)) === undefined);
  return [...new Set([...free, ...stubsIn(worktree)])];
}

/** For whoever has ended the agent. Answers with what was removed. */
export function clearStubs(worktree: string, commonDir: string): string[] {
  const stubs = stubsIn(worktree).map((name) => join(worktree, name));
  // As long as this one is there, nobody can change git's configuration.
  const lock = join(commonDir, "config.lock");
  if (isStub(lock)) stubs.push(lock);
  for (const stub of stubs) rmSync(stub, { force: true });
  return stubs;
}

/** In Claude Code 2.1.325. Others are known when they are there. */
const TOP = [
  ".bash_profile",
  ".bashrc",
  ".gitconfig",
  ".gitmodules",
  ".idea",
  ".mcp.json",
  ".profile",
  ".ripgreprc",
  ".vscode",
  ".zprofile",
  ".zshrc",
];
const IN_CLAUDE = [
  "agents",
  "commands",
  "hooks",
  "launch.json",
  "loop.md",
  "output-styles",
  "routines",
  "scheduled_tasks.json",
  "settings.json",
  "settings.local.json",
  "skills",
  "workflows",
].map((name) => join(".claude", name));

function stubsIn(worktree: string): string[] {
  const claude = entryAt(join(worktree, ".claude"));
  const hasClaude = claude !== undefined && isOpen(claude);
  const names = [
    ...listNames(worktree).filter((name) => name.startsWith(".")),
    ...(hasClaude ? listNames(join(worktree, ".claude")) : []).map((name) => join(".claude", name)),
  ];
  return names.filter((name) => isStub(join(worktree, name)));
}

/** The agent may have closed it, or made it a link: what that leads to is not looked at. */
const isOpen = (entry: Stats): boolean => entry.isDirectory() && (entry.mode & 0o500) === 0o500;

/** Empty, and writable for nobody: git checks out no such file, and people rarely make one. */
function isStub(path: string): boolean {
  const entry = entryAt(path);
  return (
    entry !== undefined && entry.isFile() && entry.size === 0 && (entry.mode & 0o777) === 0o444
  );
}

/** Not what a link leads to. */
const entryAt = (path: string): Stats | undefined => ifThere(() => lstatSync(path));
