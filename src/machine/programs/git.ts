// Git, without surprises: no prompt can hang it, no hook, editor, pager or background job is started,
// nothing of the caller's environment decides which repository it works on, and history is what it is.

import { existsSync } from "node:fs";
import { SagaError } from "../../errors.ts";
import { plainEnvironment, PROXY_VARIABLES, type Environment } from "../processes/environment.ts";
import { isWholeByNow } from "./git-retry.ts";
import { decodeBytes, encodeBytes, rawCommand } from "../files/raw-bytes.ts";
import { run } from "../processes/run.ts";

export interface Git {
  /** The folder it works in: a repository's own, or a worktree's. */
  readonly folder: string;
  /** What it printed, without the last line break; an error when it failed. */
  readonly ask: (args: readonly string[], options?: GitOptions) => Promise<string>;
  /** The same, for calls whose failure is an answer. */
  readonly attempt: (args: readonly string[], options?: GitOptions) => Promise<GitResult>;
  readonly at: (folder: string) => Git;
}

export interface GitOptions {
  readonly input?: string | undefined;
  readonly timeoutMs?: number | undefined;
  /** For what asks a remote: nobody who stops waits for the network. */
  readonly stop?: AbortSignal | undefined;
  /** Variables for this call alone: `GIT_INDEX_FILE`, for example. */
  readonly env?: Environment | undefined;
  /** A push runs the repository's own hooks, because large files travel in one of them. */
  readonly withHooks?: boolean | undefined;
}

export interface GitResult {
  readonly isOk: boolean;
  readonly stdout: string;
  /** What it complained about, or why it gave no answer. */
  readonly stderr: string;
  /** Set when git was killed or timed out: its failure then answers nothing. */
  readonly isUnanswered?: true;
}

/** For what stays on this machine. A very large repository takes its time to check out. */
const TIMEOUT_MS = 300_000;
/** A large repository's list of files, whole. */
const MAX_OUTPUT_BYTES = 50_000_000;

/** What a person has set up for reaching a remote. */
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
/** How people look at their work, and what they want git to refuse or to reach into, decides nothing here. */
const PLAIN = [
  "core.ignoreStat=false",
  "core.safecrlf=false",
  "diff.autoRefreshIndex=true",
  "grep.patternType=basic",
  // Otherwise git converts what it prints, and stops at the first NUL of a format.
  "i18n.commitEncoding=UTF-8",
  "i18n.logOutputEncoding=UTF-8",
  "log.showSignature=false",
  "status.showUntrackedFiles=normal",
  "submodule.recurse=false",
];
const NO_HOOKS = "core.hooksPath=/dev/null";

/** So many others may be making worktrees at once. */
const MAX_TRIES = 100;

export function openGit(folder: string, env: Environment): Git {
  const attemptOnce = async (
    args: readonly string[],
    { input, timeoutMs = TIMEOUT_MS, stop, env: more = {}, withHooks = false }: GitOptions = {},
  ): Promise<GitResult> => {
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
          stdout: result.stdout.replace(/\n$/, ""),
          stderr: result.stderr.trim(),
        };
      case "missing":
        throw existsSync(folder)
          ? new SagaError("program-failed", "There is no git on this machine.", {
              hint: "`saga doctor` says how to install it.",
            })
          : new SagaError("program-failed", `The folder ${folder} is not there.`, {
              hint: "Someone has removed or moved it.",
            });
      case "timed-out":
        return unanswered(`no answer within ${timeoutMs / 1000} s`);
      case "killed":
        return unanswered(`it was ended by ${result.signal}`);
    }
  };
  const attempt: Git["attempt"] = async (args, options) => {
    for (let tries = 1; ; tries++) {
      const result = await attemptOnce(args, options);
      const isOver = result.isOk || tries === MAX_TRIES || options?.stop?.aborted;
      if (isOver || !(await isWholeByNow(folder, result.stderr))) return result;
    }
  };
  return {
    folder,
    attempt,
    ask: async (args, options) => {
      const result = await attempt(args, options);
      if (result.isOk) return result.stdout;
      throw new SagaError(
        "program-failed",
        `git ${args[0]} failed in ${folder}: ${result.stderr}`,
        {
          hint: "Nothing was lost. Put right what git says, and run the command again.",
        },
      );
    },
    at: (elsewhere) => openGit(elsewhere, env),
  };
}

const unanswered = (stderr: string): GitResult => ({
  isOk: false,
  stdout: "",
  stderr,
  isUnanswered: true,
});

/**
 * Like `attempt`, for questions where a failure means "no". A git that was killed has not said no: taking it for one
 * made a branch look deleted, and a merge look done.
 */
export async function answerOf(
  git: Git,
  args: readonly string[],
  options?: GitOptions,
): Promise<GitResult> {
  const result = await git.attempt(args, options);
  if (!result.isUnanswered) return result;
  throw new SagaError(
    "program-failed",
    `git ${args[0]} gave no answer in ${git.folder}: ${result.stderr}`,
    { hint: "No work was lost. Run the command again." },
  );
}

const gitEnvironment = (env: Environment): Record<string, string> => ({
  ...plainEnvironment(env, REMOTE_VARIABLES),
  // Its sentences are shown, and some are recognised.
  LC_ALL: "C",
  GIT_TERMINAL_PROMPT: "0",
  GIT_ASKPASS: "true",
  GIT_EDITOR: "true",
  GIT_PAGER: "cat",
  // An agent can replace an object by another, or say what came before a commit, for all who look. What
  // is judged and merged is what would be pushed: git pushes neither.
  GIT_NO_REPLACE_OBJECTS: "1",
  GIT_GRAFT_FILE: "",
});
