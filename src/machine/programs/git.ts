// Runs git predictably: no prompts, hooks, editors, pagers or background jobs; the caller's environment does not choose
// the repository; replaced objects and grafts are ignored. It runs no program that an agent brought along
// (`config-guard.ts`), and in a worktree it works on no other repository than the worktree's own.

import { existsSync } from "node:fs";
import { SagaError } from "../../errors.ts";
import { plainEnvironment, PROXY_VARIABLES, type Environment } from "../processes/environment.ts";
import { commonDirOf, gitDirAt, sharedBy } from "./common-dir.ts";
import { requireTrusted } from "./config-guard.ts";
import { waitForCommonDir } from "./git-retry.ts";
import { decodeBytes, encodeBytes, rawCommand } from "../files/raw-bytes.ts";
import { run } from "../processes/run.ts";

export interface Git {
  /** The folder it works in: a repository's own, or a worktree's. */
  readonly folder: string;
  /** For `object-reader.ts`: the repository's own folder, and the caller's environment. */
  readonly place: { readonly env: Environment; readonly root: string };
  /** Its output without the last line break; throws when git fails. */
  readonly ask: (args: readonly string[], options?: GitOptions) => Promise<string>;
  /** For calls whose failure is an answer. */
  readonly attempt: (args: readonly string[], options?: GitOptions) => Promise<GitResult>;
  /** In another folder of the same repository. */
  readonly at: (folder: string) => Git;
}

export interface GitOptions {
  readonly input?: string | undefined;
  readonly timeoutMs?: number | undefined;
  /** For calls that use the network: stopping does not wait for it. */
  readonly stop?: AbortSignal | undefined;
  /** Variables for this call alone: `GIT_INDEX_FILE`, for example. */
  readonly env?: Environment | undefined;
  /** For a push: Git LFS uploads in a hook. */
  readonly withHooks?: boolean | undefined;
}

export interface GitResult {
  readonly isOk: boolean;
  /** Undefined if git gave no answer. */
  readonly exitCode?: number;
  readonly stdout: string;
  /** Its error output, or why it gave no answer. */
  readonly stderr: string;
  /** Git was killed or timed out, so the failure is not an answer. */
  readonly isUnanswered?: true;
}

/** Checking out a very large repository takes minutes. */
const TIMEOUT_MS = 300_000;
/** The whole file list of a large repository. */
const MAX_OUTPUT_BYTES = 50_000_000;

const REMOTE_VARIABLES = [
  "SSH_AUTH_SOCK",
  "GIT_SSH",
  "GIT_SSH_COMMAND",
  ...PROXY_VARIABLES,
  "GIT_CONFIG_GLOBAL",
  "GIT_CONFIG_SYSTEM",
];

const QUIET = [
  "core.fsmonitor=false",
  "gc.auto=0",
  "maintenance.auto=false",
  "commit.gpgSign=false",
];
/** Overrides user settings that would change output or behaviour. */
const PLAIN = [
  "core.ignoreStat=false",
  "core.safecrlf=false",
  "diff.autoRefreshIndex=true",
  "grep.patternType=basic",
  // Otherwise git converts its output, and stops at the first NUL of a format.
  "i18n.commitEncoding=UTF-8",
  "i18n.logOutputEncoding=UTF-8",
  "log.showSignature=false",
  "status.showUntrackedFiles=normal",
  "submodule.recurse=false",
];
const NO_HOOKS = "core.hooksPath=/dev/null";

/** Each retry may meet another process that adds a worktree. */
const MAX_TRIES = 100;

/** A folder's repository is that of `root`, whatever the files in the folder say. */
export function openGit(folder: string, env: Environment, root = folder): Git {
  const attemptOnce = async (
    args: readonly string[],
    { input, timeoutMs = TIMEOUT_MS, stop, env: more = {}, withHooks = false }: GitOptions = {},
  ): Promise<GitResult> => {
    const commonDir = commonDirOf(root);
    if (commonDir !== undefined) {
      const gitDir = more["GIT_DIR"];
      // `git worktree` works in other worktrees too.
      const own = args[0] === "worktree" ? undefined : (gitDir ?? gitDirAt(folder));
      await requireTrusted({ commonDir, env }, own);
      const found = gitDir === undefined ? commonDirOf(folder) : sharedBy(gitDir);
      if (found !== undefined && found !== commonDir) return elsewhere(folder, found, commonDir);
    }
    const settings = [...QUIET, ...PLAIN, ...(withHooks ? [] : [NO_HOOKS])];
    const words = [...settings.flatMap((one) => ["-c", one]), ...args];
    const result = await run(...rawCommand("git", words), {
      cwd: folder,
      env: { ...gitEnvironment(env), ...more },
      // File names are bytes.
      input: input === undefined ? undefined : encodeBytes(input),
      decode: decodeBytes,
      timeoutMs,
      stop,
      maxOutputBytes: MAX_OUTPUT_BYTES,
    });
    switch (result.kind) {
      case "exited":
        return {
          isOk: result.exitCode === 0,
          exitCode: result.exitCode,
          stdout: result.stdout.replace(/\n$/, ""),
          stderr: result.stderr.trim(),
        };
      case "missing":
        throw existsSync(folder)
          ? new SagaError("program-failed", "git is not installed.", {
              hint: "Run `saga doctor`: it says how.",
            })
          : new SagaError("program-failed", `The folder ${folder} does not exist.`, {
              hint: "It was removed or moved.",
            });
      case "timed-out":
        return unanswered(`no answer within ${timeoutMs / 1000} s`);
      case "killed":
        return unanswered(`killed by ${result.signal}`);
    }
  };
  const attempt: Git["attempt"] = async (args, options) => {
    for (let tries = 1; ; tries++) {
      const result = await attemptOnce(args, options);
      const isOver = result.isOk || tries === MAX_TRIES || options?.stop?.aborted;
      if (isOver || !(await waitForCommonDir(folder, result.stderr))) return result;
    }
  };
  return {
    folder,
    place: { env, root },
    attempt,
    ask: async (args, options) => {
      const result = await attempt(args, options);
      if (result.isOk) return result.stdout;
      throw gitError(`git ${args[0]} failed in ${folder}: ${result.stderr}`);
    },
    at: (other) => openGit(other, env, root),
  };
}

const elsewhere = (folder: string, found: string, commonDir: string): GitResult => ({
  isOk: false,
  stdout: "",
  stderr: `fatal: ${folder} belongs to the repository ${found}, not to ${commonDir}`,
});

/** For a sentence that ends with git's own error. */
export const gitError = (sentence: string): SagaError =>
  new SagaError("program-failed", sentence, {
    hint: "No work was lost. Fix git's error and run the command again.",
  });

const unanswered = (stderr: string): GitResult => ({
  isOk: false,
  stdout: "",
  stderr,
  isUnanswered: true,
});

/**
 * Like `attempt`, for calls where a failure means "no". A killed git has not said no: treating it as one made a branch
 * look deleted and a merge look done.
 */
export async function answerOf(git: Git, args: readonly string[]): Promise<GitResult> {
  const result = await git.attempt(args);
  if (!result.isUnanswered) return result;
  throw new SagaError(
    "program-failed",
    `git ${args[0]} gave no answer in ${git.folder}: ${result.stderr}`,
    { hint: "No work was lost. Run the command again." },
  );
}

export const gitEnvironment = (env: Environment): Record<string, string> => ({
  ...plainEnvironment(env, REMOTE_VARIABLES),
  // Some messages are parsed.
  LC_ALL: "C",
  GIT_TERMINAL_PROMPT: "0",
  GIT_ASKPASS: "true",
  GIT_EDITOR: "true",
  GIT_PAGER: "cat",
  // An agent can replace objects or graft history locally. What is judged and merged must be what would be pushed, and
  // git pushes neither.
  GIT_NO_REPLACE_OBJECTS: "1",
  GIT_GRAFT_FILE: "",
});
