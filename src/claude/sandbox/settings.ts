// Claude Code's sandbox around an agent's shell commands: what they may write, and whether it works on this
// machine. Reading (except Saga's secrets) and the network stay allowed: else nothing could be installed or tried.

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Options } from "@anthropic-ai/claude-agent-sdk";
import { plainEnvironment, type Environment } from "../../machine/processes/environment.ts";
import { findProgram } from "../../machine/processes/find-program.ts";
import { run } from "../../machine/processes/run.ts";

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
}

export const sandboxSettings = ({
  gitDir,
  guarded,
  write,
  hidden,
}: SandboxPlace): NonNullable<Options["sandbox"]> => ({
  enabled: true,
  failIfUnavailable: true,
  // Else the agent could run a command outside of the sandbox. This also makes Claude Code ignore the
  // repository's own settings of the sandbox.
  allowUnsandboxedCommands: false,
  network: { allowedDomains: ["*"] },
  filesystem: {
    allowWrite: [gitDir, ...write],
    denyWrite: [...guarded],
    denyRead: [...hidden],
  },
});

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

export interface SandboxFault {
  readonly found: string;
  readonly fix: string;
}

/** Why the sandbox does not work here. Claude Code itself only checks if the programs exist. */
export async function sandboxFault(
  env: Environment,
  platform: NodeJS.Platform = process.platform,
): Promise<SandboxFault | undefined> {
  // macOS includes it.
  if (platform === "darwin") return undefined;
  if (platform !== "linux") {
    return { found: `Claude Code has no sandbox on ${platform}`, fix: DO_WITHOUT };
  }
  const missing = Object.entries(PROGRAMS).filter(([program]) => !findProgram(program, env));
  if (missing.length > 0) {
    const packages = missing.map(([, name]) => name);
    return {
      found: `${packages.join(" and ")} not found`,
      fix: `Run \`apt-get install ${packages.join(" ")}\`, or use your system's package manager. ${DO_WITHOUT}`,
    };
  }
  const trial = await run("bwrap", TRIAL, { env: plainEnvironment(env), timeoutMs: 10_000 });
  if (trial.kind === "exited" && trial.exitCode === 0) return undefined;
  const output = trial.kind === "missing" ? "" : trial.stderr.trim();
  return {
    found: `bubblewrap does not work here${output && `: ${output}`}`,
    fix: `Allow this user to create namespaces; in a container, its settings decide. ${DO_WITHOUT}`,
  };
}

const PROGRAMS = { bwrap: "bubblewrap", socat: "socat" } as const;
/** The namespaces and mounts that Claude Code uses. */
const TRIAL =
  "--die-with-parent --ro-bind / / --dev /dev --unshare-user --unshare-pid --unshare-net --proc /proc -- true".split(
    " ",
  );
const DO_WITHOUT = "To turn it off: `saga config set claude.sandbox false`.";
