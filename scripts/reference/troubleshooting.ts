// What can be wrong, and what to do about it: doctor's own list, the codes of refusals, and the states of
// a story that ask for something. That nothing is forgotten is for the compiler to say.

import type { ErrorCode } from "../../src/errors.ts";
import { troublesOn, type Trouble } from "../../src/cli/doctor/findings.ts";
import type { StoryState } from "../../src/story/state/state.ts";
import { bullets, code, fence, page, table } from "./markdown.ts";

export const troubleshootingPage = (): string =>
  page(
    "Troubleshooting",
    "Three commands say what is wrong, each with the way to mend it. None of them changes anything.",
    "<!-- scene: set-up -->",
    fence(
      "sh",
      [
        "saga doctor          # the machine and the project: programs, logins, space",
        "saga validate        # every file: what is wrong with it, in which line, and the fix",
        "saga status          # what is running, what needs you, and the next command for each",
      ].join("\n"),
    ),
    "## What doctor says",
    "A ✓ is fine. A `!` works, but something will be missing. A ✗ has to be mended first, and `saga doctor` ends with 1. Where `…` stands here, it says what it has found.",
    table(["", "it says", "that means", "what to do"], troubleRows()),
    "## What a story's state means",
    "It is derived each time from files, git and living processes, and stored nowhere: there is no state to set right by hand.",
    table(
      ["state", "that means", "what to do"],
      Object.entries(STATES).map(([state, { means, next }]) => [code(state), means, next]),
    ),
    "## What refusals mean",
    "A refusal is a sentence, and a hint that names the next step; with `--json` it has a code as well. Nothing was changed, unless the sentence says so.",
    table(
      ["code", "that means"],
      Object.entries(CODES).map(([name, means]) => [code(name), means]),
    ),
    "## When you are stuck",
    bullets([
      "`saga logs <story>` shows the last run, also of a worker that was killed; `saga logs <story> --json` has everything.",
      '`saga run <story> --rehearse` goes the whole way on a copy of your project with a scripted model. It spends nothing, and shows whether worktree, set-up, hooks, checks and pull request work here. The model only leaves a mark in a file that the task may write, so a check that asks for the work itself fails there; what it is to do instead stands in the task\'s file: `"rehearsal": [{ "write": "src/find.js", "content": "…" }, { "run": "npm run format" }]`.',
      "Work seems to be gone: `saga snapshot list` shows the snapshots, `saga snapshot restore <story> <number>` brings one back. [How work is kept](safety.md).",
      "A session is silent: `saga attach <story>` looks into it; Ctrl-b d leaves it, and it goes on.",
      "Something is left over: `saga clean --dry-run` says what could go, and why the rest stays.",
    ]),
  );

/** Some fixes differ between systems. */
function troubleRows(): string[][] {
  const mac: Readonly<Record<string, Trouble>> = troublesOn("darwin");
  return Object.entries<Trouble>(troublesOn("linux")).map(
    ([kind, { name, verdict, found, means, fix }]) => {
      const onMac = mac[kind]?.fix ?? fix;
      const fixes = onMac === fix ? fix : `${fix} On a Mac: ${onMac}`;
      return [verdict === "fail" ? "✗" : "!", `${code(name)} ${found}`, means, fixes];
    },
  );
}

const STATES: Readonly<Record<StoryState, { readonly means: string; readonly next: string }>> = {
  pending: {
    means: "It cannot be started: it has no tasks, or its epic cannot be read.",
    next: "`saga new task <story> <id>`, or `saga validate`.",
  },
  waiting: {
    means: "Another story of its epic comes first.",
    next: "Nothing; `saga show <story>` says which.",
  },
  ready: {
    means: "It can be started; also when it was sent back, split or answered.",
    next: "`saga run <story>`.",
  },
  running: {
    means: "A living worker has it.",
    next: "Nothing; `saga logs <story> -f` follows it.",
  },
  stalled: {
    means: "A living worker has it, and its agent has gone silent.",
    next: "Nothing at first: after the next silent check-in the worker stops the agent and splits its task.",
  },
  blocked: {
    means: "A question for you is open.",
    next: '`saga resolve <story> "…" --run`.',
  },
  failed: {
    means: "The last run ended with an error.",
    next: "`saga logs <story>` says which; `saga run <story>` tries again.",
  },
  stopped: {
    means: "You stopped its last run. What was done is kept.",
    next: "`saga resume <story>` continues, `saga discard <story>` gives it up.",
  },
  killed: {
    means:
      "Its worker was killed, or ended with its session or the machine. What was done is kept.",
    next: "`saga resume <story>` continues, `saga discard <story>` gives it up.",
  },
  limit: {
    means: "Its last run reached a limit: time, cost, cycles, or the account's usage.",
    next: "`saga resume <story>` continues, with `--max-time`, `--max-cost` or `--max-cycles` for more.",
  },
  unfinished: {
    means: "It was begun, and no run says how it was left: its worktree is gone, for example.",
    next: "`saga recover` says what is known; `saga resume <story>` continues.",
  },
  "sent-back": {
    means: "You sent it back, and no run has taken that up yet.",
    next: "`saga run <story>`.",
  },
  review: {
    means: "Every task is completed, and it is not merged.",
    next: "`saga show <story>`, then `saga accept <story>`, `saga merge <story>` or `saga send-back <story>`.",
  },
  completed: { means: "Merged, and git says so too.", next: "Nothing." },
};

const CODES: Readonly<Record<ErrorCode, string>> = {
  "bad-id": "A name cannot be one: it may hold small letters, digits and dashes.",
  "bad-file": "A file cannot be read, or makes no sense. `saga validate` says where.",
  "bad-plan": "A plan for `saga stage` or `saga split` is not valid; all that is wrong is listed.",
  "bad-setting": "A setting does not exist, or may not have this value.",
  exists: "Something of this name is there already.",
  "not-found": "There is nothing of this name.",
  "no-project":
    "There is no `.saga` folder here or above (`saga init` makes one), or no git repository around it that stories could run in.",
  "in-use": "Someone else is at it: a worker, a merge, the dashboard. The sentence says who.",
  "not-ready": "It cannot be done yet: something else comes first, and the hint says what.",
  "unsafe-path": "A path leads out of where it may, or a folder is open to other users.",
  "disk-full": "There is no space left. What was there before is untouched.",
  "not-writable": "A file or folder cannot be written.",
  "program-failed": "Another program failed or is missing: git, tmux, gh, Claude Code.",
  usage: "The command was called wrongly; it ends with 2.",
  stopped: "You stopped it. What was under way is as if it had not been begun.",
  bug: "A fault of Saga's own. Please report it with what it printed.",
};
