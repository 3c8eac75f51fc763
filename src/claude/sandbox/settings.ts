// Claude Code's own sandbox around the shell commands of an agent: what they may write, and whether it
// works on this machine. Reading (but for Saga's own secrets) and the network stay open, or nothing could
// be installed or tried.

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Options } from "@anthropic-ai/claude-agent-sdk";
import { plainEnvironment, type Environment } from "../../machine/processes/environment.ts";
import { findProgram } from "../../machine/processes/find-program.ts";
import { run } from "../../machine/processes/run.ts";

/** What commands may write besides the worktree and the folder for temporary files. */
export interface SandboxPlace {
  /** Where git keeps what is this worktree's own. */
  readonly gitDir: string;
  /** What stays as it is of what all worktrees share. */
  readonly guarded: readonly string[];
  /** Further folders, from the settings. */
  readonly write: readonly string[];
  /** What they may not even read. */
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
  // Else the agent could ask for a command outside of it. This also makes Claude Code ignore what the
  // repository's own settings say about the sandbox.
  allowUnsandboxedCommands: false,
  network: { allowedDomains: ["*"] },
  filesystem: {
    allowWrite: [gitDir, ...write],
    denyWrite: [...guarded],
    denyRead: [...hidden],
  },
});

/**
 * Claude Code opens the whole shared git folder to a linked worktree, but for hooks and configuration.
 * Staging needs only its objects: branches, the main checkout's HEAD and index, and Saga's own files
 * there are not the agent's, who is told not to commit.
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

/** Only what is there: anything else would be on the disk, empty, for as long as a command runs. */
export const guardedIn = (commonDir: string): string[] =>
  SHARED.map((name) => join(commonDir, name)).filter((path) => existsSync(path));

/** Package managers that do not work when their cache cannot be written. */
const CACHES = {
  npm_config_cache: "npm",
  YARN_CACHE_FOLDER: "yarn",
  UV_CACHE_DIR: "uv",
  GOCACHE: "go",
} as const;

/** A cache of the worktree's own, which goes with it: the person's would carry things out. */
export const cacheVariables = (gitDir: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(CACHES).map(([variable, name]) => [variable, join(gitDir, "saga-cache", name)]),
  );

export interface SandboxFault {
  readonly found: string;
  readonly fix: string;
}

/** Why it will not work here. Claude Code itself looks only whether the programs are there. */
export async function sandboxFault(
  env: Environment,
  platform: NodeJS.Platform = process.platform,
): Promise<SandboxFault | undefined> {
  // Part of the system there.
  if (platform === "darwin") return undefined;
  if (platform !== "linux") {
    return { found: `Claude Code has none on ${platform}`, fix: DO_WITHOUT };
  }
  const missing = Object.entries(PROGRAMS).filter(([program]) => !findProgram(program, env));
  if (missing.length > 0) {
    const packages = missing.map(([, name]) => name);
    return {
      found: `${packages.join(" and ")} not found`,
      fix: `Run \`apt-get install ${packages.join(" ")}\`, or your system's own way. ${DO_WITHOUT}`,
    };
  }
  const tried = await run("bwrap", TRIAL, { env: plainEnvironment(env), timeoutMs: 10_000 });
  if (tried.kind === "exited" && tried.exitCode === 0) return undefined;
  const said = tried.kind === "missing" ? "" : tried.stderr.trim();
  return {
    found: `bubblewrap does not work here${said && `: ${said}`}`,
    fix: `Let this user make namespaces; in a container, its own settings decide. ${DO_WITHOUT}`,
  };
}

const PROGRAMS = { bwrap: "bubblewrap", socat: "socat" } as const;
/** The namespaces and mounts that Claude Code asks for. */
const TRIAL =
  "--die-with-parent --ro-bind / / --dev /dev --unshare-user --unshare-pid --unshare-net --proc /proc -- true".split(
    " ",
  );
const DO_WITHOUT = "To do without it: `saga config set claude.sandbox false`.";
