// Stubs: empty files that the sandbox creates in a worktree where a command must not write and no file exists.
// Claude Code removes them after each command, but not if it is ended during one.

import { lstatSync, rmSync, type Stats } from "node:fs";
import { join } from "node:path";
import { ifThere, listNames } from "../../machine/files/files.ts";

/**
 * Paths that must not be committed while commands may run, relative to the worktree: stubs, and places where
 * one may appear at any moment.
 */
export function stubPlaces(worktree: string): string[] {
  const claude = entryAt(join(worktree, ".claude"));
  const names = claude === undefined || isReadableFolder(claude) ? [...TOP, ...IN_CLAUDE] : TOP;
  const free = names.filter((name) => entryAt(join(worktree, name)) === undefined);
  return [...new Set([...free, ...stubsIn(worktree)])];
}

/** Removes all stubs once the agent has ended. Returns what was removed. */
export function clearStubs(worktree: string, commonDir: string): string[] {
  const stubs = stubsIn(worktree).map((name) => join(worktree, name));
  // While this stub exists, git's configuration cannot be changed.
  const lock = join(commonDir, "config.lock");
  if (isStub(lock)) stubs.push(lock);
  for (const stub of stubs) rmSync(stub, { force: true });
  return stubs;
}

/** The places in Claude Code 2.1.325. Other stubs are recognized once they exist. */
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
  const hasClaude = claude !== undefined && isReadableFolder(claude);
  const names = [
    ...listNames(worktree).filter((name) => name.startsWith(".")),
    ...(hasClaude ? listNames(join(worktree, ".claude")) : []).map((name) => join(".claude", name)),
  ];
  return names.filter((name) => isStub(join(worktree, name)));
}

/** The agent may have made it unreadable, or a link: then it is not listed. */
const isReadableFolder = (entry: Stats): boolean =>
  entry.isDirectory() && (entry.mode & 0o500) === 0o500;

/** Empty and read-only: git never checks out such a file, and people rarely create one. */
function isStub(path: string): boolean {
  const entry = entryAt(path);
  return (
    entry !== undefined && entry.isFile() && entry.size === 0 && (entry.mode & 0o777) === 0o444
  );
}

/** Does not follow links. */
const entryAt = (path: string): Stats | undefined => ifThere(() => lstatSync(path));
