// Where an agent's shell commands may write if the settings turn the sandbox on, and the files that it leaves behind.

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Environment } from "../../machine/processes/environment.ts";
import type { Git } from "../../machine/programs/git.ts";
import { realStateFolder } from "../../machine/files/state-folder.ts";
import type { Settings } from "../../story/settings/settings.ts";
import type { Agent } from "../agent.ts";

/** What commands may write, besides the worktree and the folder for temporary files. */
export interface SandboxPlace {
  /** The worktree's own git directory. */
  readonly gitDir: string;
  /** Parts of the shared git directory that they may not write. */
  readonly guarded: readonly string[];
  /** Further folders, from the settings. */
  readonly write: readonly string[];
  /** Paths that they may not read. */
  readonly hidden: readonly string[];
  /** Domains that they may reach; `*` means all. */
  readonly network: readonly string[];
}

interface Shell {
  readonly settings: Pick<Settings, "claude">;
  readonly repository: { readonly git: Git; readonly commonDir: string };
  /** The worktree's own git directory. */
  readonly gitDir: string;
  readonly env: Environment;
}

export async function sandboxPlace({
  settings,
  repository,
  gitDir,
  env,
}: Shell): Promise<SandboxPlace | undefined> {
  if (!settings.claude.sandbox) return undefined;
  const { git, commonDir } = repository;
  // Only an existing file can be guarded, and a bad line in this one would break every git command.
  if (!existsSync(join(commonDir, "packed-refs"))) await git.attempt(["pack-refs"]);
  return {
    gitDir,
    guarded: guardedIn(commonDir),
    write: settings.claude.sandboxWrite,
    network: settings.claude.sandboxNetwork,
    // The sandbox would create an empty stub for a missing folder.
    hidden: [realStateFolder(env)].filter((folder) => existsSync(folder)),
  };
}

/**
 * Claude Code lets a linked worktree write the whole shared git directory, except hooks and configuration.
 * Staging needs only the objects. Branches, the main checkout's HEAD and index, and Saga's files there are
 * not for the agent, which must not commit.
 */
const SHARED = [
  "HEAD",
  "index",
  "info",
  "logs",
  "modules",
  "objects/info",
  "objects/pack",
  "packed-refs",
  "refs",
  "reftable",
  "saga",
];

/** Only what exists: the sandbox creates an empty stub for anything else while a command runs. */
export const guardedIn = (commonDir: string): string[] =>
  SHARED.map((name) => join(commonDir, name)).filter((path) => existsSync(path));

/** Package managers that fail if their cache is not writable. */
const CACHES = {
  npm_config_cache: "npm",
  YARN_CACHE_FOLDER: "yarn",
  UV_CACHE_DIR: "uv",
  GOCACHE: "go",
} as const;

/** A cache per worktree, removed with it: through the user's cache, files could leave the sandbox. */
export const cacheVariables = (gitDir: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(CACHES).map(([variable, name]) => [variable, join(gitDir, "saga-cache", name)]),
  );

interface Worktree {
  readonly agent: Agent;
  readonly settings: Pick<Settings, "claude">;
  readonly folder: string;
  readonly exclude: readonly string[];
}

/**
 * Paths that are never committed or saved: `exclude`, and files of the agent's program. Another tool call of the same
 * turn may be running in the sandbox, which puts such files into the worktree.
 */
export const neverCommitted = ({ agent, settings, folder, exclude }: Worktree): readonly string[] =>
  settings.claude.sandbox ? [...exclude, ...agent.ownFiles(folder)] : exclude;
