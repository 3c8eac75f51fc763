// Every problem that `saga doctor` can find, with its meaning and its fix. The troubleshooting page is generated from
// this.

import { OLDEST_CLAUDE, WHY_NOT_OLDER } from "../../claude/supported.ts";
import { SESSION_FOLDER_FIX } from "../../store/project/session-folder.ts";

/** Older versions lack features of `worktree repair` and `merge-tree` that Saga uses. */
export const OLDEST_GIT = "2.38";
/** The first version whose `new-session` takes an environment. */
export const OLDEST_TMUX = "3.2";
export const OLDEST_NODE = "20.19";
export const LITTLE_SPACE_BYTES = 2_000_000_000;

export interface DoctorFinding {
  readonly name: string;
  /** `warn`: Saga works, but something is missing. */
  readonly verdict: "warn" | "fail";
  /** The text; `…` is replaced by what was found. */
  readonly found: string;
  readonly means: string;
  readonly fix: string;
}

const fail = (name: string, found: string, means: string, fix: string): DoctorFinding => ({
  name,
  verdict: "fail",
  found,
  means,
  fix,
});

const warn = (name: string, found: string, means: string, fix: string): DoctorFinding => ({
  ...fail(name, found, means, fix),
  verdict: "warn",
});

const installOn =
  (platform: NodeJS.Platform) =>
  (program: string): string =>
    platform === "darwin"
      ? `Run \`brew install ${program}\`.`
      : `Run \`apt-get install ${program}\`, or use your system's package manager.`;

export const findingsOn = (platform: NodeJS.Platform) => {
  const install = installOn(platform);
  return {
    oldNode: fail(
      "node",
      "…",
      "This version of Node is too old.",
      `Install Node ${OLDEST_NODE} or newer.`,
    ),
    noGit: fail("git", "not found", "Every story needs a branch and a worktree.", install("git")),
    oldGit: fail(
      "git",
      "…",
      "Older versions cannot prepare a merge without changing a checkout.",
      `Install git ${OLDEST_GIT} or newer.`,
    ),
    noRepository: fail(
      "repository",
      "this folder is not in a git repository",
      "Stories start from a commit.",
      "Run `git init`.",
    ),
    noCommit: fail(
      "repository",
      "has no commit yet",
      "Stories start from a commit.",
      'Make one: `git add . && git commit -m "First"`.',
    ),
    notTop: fail(
      "repository",
      "its top folder is above this project: …",
      "A story's worktree is a checkout of the whole repository, and `.saga` must be in its top folder.",
      "Move .saga to the top folder of the repository, and run Saga there.",
    ),
    noAuthor: fail(
      "git author",
      "user.name or user.email is not set",
      "Each completed task becomes a commit in your name.",
      'Run `git config --global user.name "…"` and the same for user.email.',
    ),
    noTmux: fail("tmux", "not found", "Workers run in tmux sessions.", install("tmux")),
    oldTmux: fail(
      "tmux",
      "…",
      "Older versions give a session the environment of the process that started their server.",
      `Install tmux ${OLDEST_TMUX} or newer.`,
    ),
    noClaude: fail(
      "claude",
      "not found",
      "Claude Code is neither on your PATH nor in Saga's package.",
      "Install Claude Code: `npm install -g @anthropic-ai/claude-code`.",
    ),
    wrongClaude: fail(
      "claude",
      "… cannot be run",
      "The path in the settings does not exist, or is not a program.",
      "Set the right path: `saga config set claude.path <path>`.",
    ),
    muteClaude: fail(
      "claude",
      "… does not answer",
      "It exists, but does not print its version.",
      "Install Claude Code again.",
    ),
    oldClaude: fail(
      "claude",
      "…",
      `This version is not supported. ${WHY_NOT_OLDER}`,
      `Run \`claude update\`: ${OLDEST_CLAUDE} or newer is supported.`,
    ),
    unknownLogin: warn(
      "claude login",
      "unknown",
      "Claude Code did not say whether you are logged in.",
      "Run `claude` once and see whether it asks you to log in.",
    ),
    noLogin: fail(
      "claude login",
      "not logged in",
      "Every run would fail at once.",
      "Run `claude auth login`, or set ANTHROPIC_API_KEY.",
    ),
    unknownTools: warn(
      "task tools",
      "unknown",
      "Claude Code did not say whether it has the tools for task lists.",
      "Run `claude --version` and see whether it works.",
    ),
    noTools: fail(
      "task tools",
      "missing: …",
      "Agents need these tools to work on a list of tasks.",
      "Run `claude update`.",
    ),
    noSandbox: fail(
      "sandbox",
      "…",
      "`claude.sandbox` is on, but the sandbox does not work here: bubblewrap or socat is missing, or this user may not create namespaces. No agent is started without it.",
      "Fix what the message names, or turn the sandbox off: `saga config set claude.sandbox false`.",
    ),
    noGh: warn(
      "gh",
      "not found: pull requests are recorded on this machine only",
      "Saga needs gh to open pull requests on GitHub.",
      `${install("gh")} It is only needed for GitHub.`,
    ),
    noGhLogin: warn(
      "gh login",
      "not logged in: pull requests are recorded on this machine only",
      "Saga needs a login to open pull requests on GitHub.",
      "Run `gh auth login`.",
    ),
    noProject: fail(
      "project",
      "no .saga folder found",
      "There is none in this folder or above it.",
      "Run `saga init`.",
    ),
    brokenProject: fail(
      "project",
      "… in its files",
      "A story, an epic, a task or the settings are invalid.",
      "Run `saga validate`.",
    ),
    deadLeases: warn(
      "locks",
      "left by a dead process: …",
      "A worker or a command was killed.",
      "Nothing to do: the next run or command takes the lock over.",
    ),
    littleSpace: warn(
      "disk",
      "…",
      `Less than ${LITTLE_SPACE_BYTES / 1e9} GB are free.`,
      "Free some space: every running story has its own checkout.",
    ),
    sessionFolder: fail(
      "session folder",
      "…",
      "The folder for the output of sessions is not a folder, belongs to another user, or is readable by others.",
      SESSION_FOLDER_FIX,
    ),
    fleetDatabase: fail(
      "fleet",
      "…",
      "The project is in a fleet, and this machine cannot use its database: the address is not set or wrong, the server does not answer, the user lacks rights, or a newer Saga set it up.",
      "Fix what the message names. docs/fleet.md describes the set-up.",
    ),
    fleetClock: warn(
      "fleet clock",
      "differs from the database's by …",
      "Leases use the database's clock and are not affected, but times in logs and on pages are misleading.",
      "Set this machine's clock, for example with NTP.",
    ),
    fleetRemote: fail(
      "fleet remote",
      "…",
      "The machines of a fleet share their work at the remote.",
      "Check `git remote -v`, the network and your login there.",
    ),
    unexamined: fail(
      "(any check)",
      "…",
      "The check itself failed, for example because the settings are invalid.",
      "Run `saga validate`.",
    ),
  } satisfies Record<string, DoctorFinding>;
};

export const FINDINGS = findingsOn(process.platform);
