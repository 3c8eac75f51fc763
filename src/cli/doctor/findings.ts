// Everything that `saga doctor` can find wrong: what it calls it, what that means, and how to mend it.
// The page on troubleshooting is made from this.

import { OLDEST_CLAUDE, WHY_NOT_OLDER } from "../../claude/supported.ts";
import { SESSION_FOLDER_FIX } from "../../store/project/session-folder.ts";

/** Older ones lack `worktree repair` and `merge-tree` as they are used here. */
export const OLDEST_GIT = "2.38";
/** The first whose `new-session` takes an environment. */
export const OLDEST_TMUX = "3.2";
export const OLDEST_NODE = "20.19";
export const LITTLE_SPACE_BYTES = 2_000_000_000;

export interface Trouble {
  readonly name: string;
  /** `warn`: works, but something will be missing. */
  readonly verdict: "warn" | "fail";
  /** As it is said; `…` stands for what was found. */
  readonly found: string;
  readonly means: string;
  readonly fix: string;
}

const fail = (name: string, found: string, means: string, fix: string): Trouble => ({
  name,
  verdict: "fail",
  found,
  means,
  fix,
});

const warn = (name: string, found: string, means: string, fix: string): Trouble => ({
  ...fail(name, found, means, fix),
  verdict: "warn",
});

const installOn =
  (platform: NodeJS.Platform) =>
  (program: string): string =>
    platform === "darwin"
      ? `Run \`brew install ${program}\`.`
      : `Run \`apt-get install ${program}\`, or your system's own way.`;

export const troublesOn = (platform: NodeJS.Platform) => {
  const install = installOn(platform);
  return {
    oldNode: fail("node", "…", "This Node is too old.", `Install Node ${OLDEST_NODE} or newer.`),
    noGit: fail("git", "not found", "Every story is a branch and a worktree.", install("git")),
    oldGit: fail(
      "git",
      "…",
      "Older ones cannot put a merge together without touching a checkout.",
      `Install git ${OLDEST_GIT} or newer.`,
    ),
    noRepository: fail(
      "repository",
      "this folder is in no git repository",
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
      "begins above this project, in …",
      "A story's worktree holds the whole repository, and looks for `.saga` at its top.",
      "Move .saga to the top folder of the repository, and run Saga there.",
    ),
    noAuthor: fail(
      "git author",
      "git does not know who commits",
      "Each completed task becomes a commit in your name.",
      'Run `git config --global user.name "…"` and the same for user.email.',
    ),
    noTmux: fail("tmux", "not found", "Workers run in its sessions.", install("tmux")),
    oldTmux: fail(
      "tmux",
      "…",
      "Older ones give a session the environment of whoever started their server.",
      `Install tmux ${OLDEST_TMUX} or newer.`,
    ),
    noClaude: fail(
      "claude",
      "not found",
      "There is no Claude Code, neither on your path nor in Saga's own package.",
      "Install Claude Code: `npm install -g @anthropic-ai/claude-code`.",
    ),
    wrongClaude: fail(
      "claude",
      "… cannot be run",
      "The settings name a Claude Code that is not there, or no program.",
      "Correct it with `saga config set claude.path <path>`.",
    ),
    muteClaude: fail(
      "claude",
      "… does not answer",
      "It is there, and does not tell its version.",
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
      "it does not tell",
      "Whether an agent could be started is not known.",
      "Run `claude` once and see whether it asks you to log in.",
    ),
    noLogin: fail(
      "claude login",
      "nobody is logged in",
      "Every run would end at once.",
      "Run `claude auth login`, or set ANTHROPIC_API_KEY.",
    ),
    unknownTools: warn(
      "task tools",
      "could not be asked for",
      "Whether this Claude Code has the tools for task lists is not known.",
      "Run `claude --version` and see what it says.",
    ),
    noTools: fail(
      "task tools",
      "missing: …",
      "Agents could not work through a list of tasks.",
      "Run `claude update`.",
    ),
    noSandbox: fail(
      "sandbox",
      "…",
      "`claude.sandbox` is set, and there is none here: bubblewrap or socat is missing, or this user may make no namespaces. Nothing is started without it.",
      "Do what it says there, or do without: `saga config set claude.sandbox false`.",
    ),
    noGh: warn(
      "gh",
      "not found: pull requests are kept locally",
      "Without it there is no way to GitHub.",
      `${install("gh")} It is only needed for GitHub.`,
    ),
    noGhLogin: warn(
      "gh login",
      "nobody is logged in: pull requests are kept locally",
      "Without a login there is no way to GitHub.",
      "Run `gh auth login`.",
    ),
    noProject: fail(
      "project",
      "there is no .saga folder here",
      "Neither here nor in a folder above.",
      "Run `saga init`.",
    ),
    brokenProject: fail(
      "project",
      "… in its files",
      "A story, an epic, a task or the settings cannot be read, or makes no sense.",
      "Run `saga validate`.",
    ),
    deadLeases: warn(
      "leases",
      "left by a dead process: …",
      "A worker or a command was killed.",
      "Nothing to do: the next command or run that needs one takes it over.",
    ),
    littleSpace: warn(
      "disk",
      "…",
      `There are less than ${LITTLE_SPACE_BYTES / 1e9} GB left.`,
      "Make room: every running story is a checkout of its own.",
    ),
    sessionFolder: fail(
      "session folder",
      "…",
      "The folder for what sessions print is no folder, someone else's, or open to others.",
      SESSION_FOLDER_FIX,
    ),
    unexamined: fail(
      "(any of them)",
      "…",
      "This could not be looked at: the settings cannot be read, for example.",
      "Run `saga validate`.",
    ),
  } satisfies Record<string, Trouble>;
};

export const TROUBLES = troublesOn(process.platform);
