// What can be wrong and what to do about it: doctor's findings, error codes and story states. The types make the
// compiler report a missing entry.

import type { ErrorCode } from "../../src/errors.ts";
import { findingsOn, type DoctorFinding } from "../../src/cli/doctor/findings.ts";
import type { StoryState } from "../../src/story/state/state.ts";
import { bullets, code, fence, page, table } from "./markdown.ts";

export const troubleshootingPage = (): string =>
  page(
    "Troubleshooting",
    "Three commands report problems and how to fix them. None of them changes anything.",
    "<!-- scene: set-up -->",
    fence(
      "sh",
      [
        "saga doctor          # the machine and the project: programs, logins, space",
        "saga validate        # every file: the problem, its line and the fix",
        "saga status          # what is running, what needs you, and the next command for each",
      ].join("\n"),
    ),
    "## What doctor says",
    "✓ is fine. `!` works, but with something missing. ✗ must be fixed first, and `saga doctor` exits with 1. Where this page has `…`, doctor prints what it found.",
    table(["", "finding", "meaning", "what to do"], troubleRows()),
    "## What a story's state means",
    "The state is derived from files, git and running processes each time, and stored nowhere. You never set it by hand.",
    table(
      ["state", "meaning", "what to do"],
      Object.entries(STATES).map(([state, { means, next }]) => [code(state), means, next]),
    ),
    "## What errors mean",
    "An error has a message and a hint with the next step; with `--json` also a code. Nothing was changed unless the message says so.",
    table(
      ["code", "meaning"],
      Object.entries(CODES).map(([name, means]) => [code(name), means]),
    ),
    "## When you are stuck",
    bullets([
      "`saga logs <story>` shows the last run, even if its worker was killed; `saga logs <story> --json` prints every event.",
      '`saga run <story> --rehearse` runs the story on a copy of your project with a scripted model. It costs nothing, and shows whether worktree, set-up, hooks, checks and pull request work. The model only writes a mark into a file that the task may write, so a check on the work itself fails. To script its steps, add them to the task\'s file: `"rehearsal": [{ "write": "src/find.js", "content": "…" }, { "run": "npm run format" }]`.',
      "Work seems lost: `saga snapshot list` shows the snapshots, `saga snapshot restore <story> <number>` restores one. [How work is kept](safety.md).",
      "A session is silent: `saga attach <story>` shows it; Ctrl-b d detaches, and the session continues.",
      "Files are left over: `saga clean --dry-run` lists what it would delete, and why it keeps the rest.",
    ]),
  );

/** Some fixes differ on a Mac. */
function troubleRows(): string[][] {
  const mac: Readonly<Record<string, DoctorFinding>> = findingsOn("darwin");
  return Object.entries<DoctorFinding>(findingsOn("linux")).map(
    ([kind, { name, verdict, found, means, fix }]) => {
      const onMac = mac[kind]?.fix ?? fix;
      const fixes = onMac === fix ? fix : `${fix} On a Mac: ${onMac}`;
      return [verdict === "fail" ? "✗" : "!", `${code(name)} ${found}`, means, fixes];
    },
  );
}

const STATES: Readonly<Record<StoryState, { readonly means: string; readonly next: string }>> = {
  pending: {
    means: "It cannot start: its epic's file is invalid.",
    next: "`saga validate`.",
  },
  waiting: {
    means: "Another story of its epic comes first.",
    next: "Nothing; `saga show <story>` shows which.",
  },
  ready: {
    means: "It can start, or continue after an answer or a split.",
    next: "`saga run <story>`.",
  },
  running: {
    means: "A worker is running it.",
    next: "Nothing; `saga logs <story> -f` follows it.",
  },
  stalled: {
    means: "A worker is running it, but its agent uses no tools.",
    next: "Nothing: after the next silent check-in the worker stops the agent and splits its task.",
  },
  blocked: {
    means: "A question for you is open.",
    next: '`saga resolve <story> "…" --run`.',
  },
  failed: {
    means: "The last run ended with an error.",
    next: "`saga logs <story>` shows which; `saga run <story>` retries.",
  },
  stopped: {
    means: "You stopped its last run. The work is kept.",
    next: "`saga resume <story>` continues, `saga discard <story>` resets it and keeps a snapshot.",
  },
  killed: {
    means: "Its worker was killed, or ended with its session or the machine. The work is kept.",
    next: "`saga resume <story>` continues, `saga discard <story>` resets it and keeps a snapshot.",
  },
  limit: {
    means: "Its last run reached a limit: time, cost, agent runs, or the account's usage.",
    next: "`saga resume <story>` continues, with `--max-time`, `--max-cost` or `--max-cycles` for more.",
  },
  unfinished: {
    means: "It was started, and no run recorded how it ended: its worktree is gone, for example.",
    next: "`saga recover` shows what is known; `saga resume <story>` continues.",
  },
  "sent-back": {
    means: "You sent it back, and no run has started since.",
    next: "`saga run <story>`.",
  },
  review: {
    means: "Every task is completed, and it is not merged.",
    next: "`saga show <story>`, then `saga accept <story>`, `saga merge <story>` or `saga send-back <story>`.",
  },
  completed: { means: "Merged, and git confirms it.", next: "Nothing." },
};

const CODES: Readonly<Record<ErrorCode, string>> = {
  "bad-id": "An id is invalid: only lower-case letters, digits and dashes are allowed.",
  "bad-file": "A file is unreadable or invalid. `saga validate` shows where.",
  "bad-plan": "A plan for `saga stage` or `saga split` is invalid; the error lists every problem.",
  "bad-setting": "A setting does not exist, or its value is invalid.",
  exists: "The name is already in use.",
  "not-found": "Nothing has this name.",
  "no-project":
    "No `.saga` folder here or above (create one with `saga init`), or it is not inside a git repository.",
  "in-use":
    "Another process is using it: a worker, a merge, the dashboard. The message says which.",
  "not-ready": "Something else must come first; the hint says what.",
  "unsafe-path": "A path leads outside of its folder, or a folder is open to other users.",
  "disk-full": "The disk is full. Existing files are unchanged.",
  "not-writable": "A file or folder cannot be written.",
  "program-failed": "Another program failed or is missing: git, tmux, gh, Claude Code.",
  usage: "Wrong usage; exits with 64.",
  stopped: "You stopped it. Nothing was changed.",
  bug: "A bug in Saga. Please report it with the output.",
};
