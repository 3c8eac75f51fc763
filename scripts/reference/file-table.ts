// Every file that Saga writes, and where. The tests run the documentation's commands, and every file that they
// leave behind must be listed here.

export interface FileEntry {
  /** `<name>` is one path segment, `…` any rest. */
  readonly path: string;
  readonly what: string;
}

export interface Region {
  readonly title: string;
  readonly about: string;
  readonly files: readonly FileEntry[];
}

export const REGIONS: readonly Region[] = [
  {
    title: "In the project, in git",
    about:
      "Yours to edit by hand and to review in pull requests. Saga keeps fields that it does not know.",
    files: [
      { path: ".saga/config.toml", what: "[settings](settings.md)" },
      {
        path: ".saga/worker-prompt.md",
        what: "[what agents are told about a story](#worker-prompt), if you write one",
      },
      { path: ".saga/.gitignore", what: "keeps the files of the next section out of git" },
      { path: ".saga/epics/<epic>/epic.json", what: "[an epic](#epic)" },
      { path: ".saga/stories/<story>/story.json", what: "[a story](#story)" },
      { path: ".saga/stories/<story>/<task>.json", what: "[a task](#task)" },
      { path: ".saga/stories/<story>/journal.md", what: "[the journal](#journal)" },
      { path: ".saga/archive/<story>/…", what: "a finished story, unchanged" },
      { path: ".claude/settings.json", what: "the plugin, written by `saga init --claude`" },
    ],
  },
  {
    title: "In the project, not in git",
    about: "Live state, ignored by `.saga/.gitignore`.",
    files: [
      { path: ".saga/queue/<lane>/<entry>.json", what: "what waits to be merged into a branch" },
      { path: ".saga/queue/<lane>/<entry>.hold", what: "who holds it" },
      { path: ".saga/queue/<lane>/<entry>.done", what: "its outcome, for a day" },
      { path: ".saga/queue/<lane>/now.json", what: "what is being merged now" },
      {
        path: ".saga/queue/<lane>/ahead-<n>.json",
        what: "a batch that is or was checked before its turn (`queue.parallel`)",
      },
      {
        path: ".saga/queue/<lane>/output/check.log",
        what: "the output of the check that runs now",
      },
      { path: ".saga/queue/<lane>/history.jsonl", what: "the last batches that were merged" },
      {
        path: ".saga/queue/<lane>/<entry>.own",
        what: "in a fleet: what a person allowed for an entry of this machine",
      },
      {
        path: ".saga/queue/checks.json",
        what: "in a fleet: the commands of checks, by their hashes in the database",
      },
      { path: ".saga/queue/.gitignore", what: "keeps the folder out of git" },
      {
        path: ".saga/conflicts/<story>.json",
        what: "what an unmerged story has changed, and what it would conflict with; derived from git",
      },
      { path: ".saga/conflicts/.gitignore", what: "keeps the folder out of git" },
      {
        path: ".saga/receipts/<receipt>",
        what: "checks that passed, by tree and command, and commits that were verified; sealed",
      },
      {
        path: ".saga/elsewhere/stories/<story>/…",
        what: "in a fleet: the files of a story that another machine has, to look at; from git",
      },
      {
        path: ".saga/elsewhere/leases.json",
        what: "in a fleet: who worked on what elsewhere at the last look; from its database",
      },
      {
        path: ".saga/elsewhere/lanes.json",
        what: "in a fleet: what waits to be merged at the remote, at the last look; from its database",
      },
      { path: ".saga/elsewhere/.gitignore", what: "keeps the folder out of git" },
      { path: ".saga/epics.json", what: "[what is closed, running, filling](#epics), derived" },
      {
        path: ".saga/worktrees/<story>/…",
        what: "a story's own checkout; its story files count while the story is in progress. `auto-1` and so on belong to the pool",
      },
      { path: ".saga/runs/<story>/<run>/run.json", what: "[a run](#run)" },
      { path: ".saga/runs/<story>/<run>/events.jsonl", what: "[what happened in it](events.md)" },
      {
        path: ".saga/runs/<story>/deleted-runs.jsonl",
        what: "what runs have cost that were deleted since (`run.keep`)",
      },
      { path: ".saga/runs/<story>/stop", what: "when a person last asked its worker to stop" },
      {
        path: ".saga/runs/<story>/drain",
        what: "when a run of its epic last asked its worker to end, because the budget was spent",
      },
      {
        path: ".saga/removed/<time>.<name>…",
        what: "what `saga rm` removed; move it back to restore it",
      },
      { path: ".saga/removed/.gitignore", what: "keeps this folder out of git" },
      { path: ".saga/leases/<name>/<number>.json", what: "[a lease](#lease)" },
      { path: ".saga/leases/changes", what: "a counter that tells readers that a lease changed" },
      {
        path: ".saga/notices/<notice>/sent.json",
        what: "how a notification was sent, so that it is sent once",
      },
      {
        path: ".saga/notices/<notice>/<number>.json",
        what: "the lease of the process that sends it",
      },
      {
        path: ".saga/auto/.gitignore",
        what: "keeps the pool's files out of git in projects whose `.saga/.gitignore` is older",
      },
      {
        path: ".saga/auto/<instance>/…",
        what: "a pool: the daemon, its workers, the requests to them",
      },
      {
        path: ".saga/auto/repairs/<repair>/…",
        what: "the files that the overseer's agent repaired, before and after",
      },
      {
        path: ".saga/transaction/…",
        what: "files being written together; gone within moments",
      },
      {
        path: ".saga/<anywhere>/.<name>.tmp",
        what: "an unfinished write, which is also the lock",
      },
    ],
  },
  {
    title: "In the repository's own folder",
    about: "Shared by all worktrees, never pushed.",
    files: [
      {
        path: ".git/saga/pulls/<number>.json",
        what: "[a pull request](#pull-request) without a forge",
      },
      {
        path: ".git/saga/tried-merges/<story>/…",
        what: "objects of merges that are only tried; gone within moments",
      },
      { path: ".git/saga/ports/<port>.json", what: "which story has which ports" },
      { path: ".git/saga/epics/<epic>.json", what: "the branch and pull request of an epic" },
      {
        path: "refs/saga/keep/<story>/<number>",
        what: "a snapshot; `saga snapshot list` shows them",
      },
      {
        path: "refs/saga/merge/<story>",
        what: "a verified merge that is about to become the target",
      },
      {
        path: "refs/saga/merged/<story>",
        what: "a completed merge; keeps the story's own commits",
      },
      {
        path: "refs/saga/discarded/<story>",
        what: "in a fleet: the last discard of the story that this clone followed",
      },
      { path: "refs/saga/conflict/<story>", what: "a conflict that an agent is to resolve" },
      { path: "refs/saga/epic/<epic>/from", what: "where an epic's branch began" },
      { path: "refs/saga/epic/<epic>/tip", what: "where it was last recorded" },
    ],
  },
  {
    title: "In your own state folder",
    about: "`$XDG_STATE_HOME/saga`, else `~/.local/state/saga`; closed to other users.",
    files: [
      { path: "state/receipt-key", what: "the key that seals receipts" },
      { path: "state/usage-limits/<account>.json", what: "when an account's usage limit resets" },
      { path: "state/dashboard/<project>.json", what: "the dashboard's port and key" },
      {
        path: "state/compiled/<file>",
        what: "compiled code of the program, for a faster start; made again when it is removed",
      },
      { path: "state/compiled/<version>/<file>", what: "the same, made by Node 22.8 and newer" },
    ],
  },
  {
    title: "In the session folder",
    about: "`/tmp/saga-sessions`, or `SAGA_SESSION_DIR`; closed to other users.",
    files: [
      {
        path: "sessions/<session>.out",
        what: "what a session printed; removed when the run succeeds",
      },
      {
        path: "sessions/<session>.env",
        what: "the environment for a session; removed once read",
      },
    ],
  },
  {
    title: "In Claude Code's folder",
    about: "`~/.claude`, or `CLAUDE_CONFIG_DIR`.",
    files: [
      { path: "claude/tasks/<list>/<task>.json", what: "tasks in Claude Code's own format" },
      { path: "claude/tasks/<list>/.saga-owner", what: "the repository that a list belongs to" },
      { path: "claude/tasks/<list>/.lock", what: "Claude Code's own lock on a list" },
      { path: "claude/tasks/<list>/.claims/…", what: "which worker has claimed which pool task" },
    ],
  },
];

export const isKnown = (path: string): boolean => PATTERNS.some((pattern) => pattern.test(path));

const PATTERNS = REGIONS.flatMap(({ files }) => files.map(({ path }) => patternOf(path)));

function patternOf(path: string): RegExp {
  const parts = path.split(/(?<part><\w+>|…)/).map((part) => {
    if (part === "…") return ".+";
    if (part === "<anywhere>") return "(?:.+/)?";
    return /^<\w+>$/.test(part) ? "[^/]+" : part.replaceAll(".", String.raw`\.`);
  });
  return new RegExp(`^${parts.join("").replace("(?:.+/)?/", "(?:.+/)?")}$`);
}
