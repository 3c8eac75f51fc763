// Every file that Saga writes, and where. The pages of the documentation are run for real, and whatever
// file they leave behind has to be one of these.

export interface Place {
  /** `<name>` is any one name, `…` whatever follows. */
  readonly path: string;
  readonly what: string;
}

export interface Region {
  readonly title: string;
  readonly about: string;
  readonly places: readonly Place[];
}

export const REGIONS: readonly Region[] = [
  {
    title: "In the project, in git",
    about:
      "They are yours: edit them by hand, review them in pull requests. Fields that Saga does not know survive every write.",
    places: [
      { path: ".saga/config.toml", what: "[settings](settings.md)" },
      {
        path: ".saga/worker-prompt.md",
        what: "[what agents are told about a story](#worker-prompt), when not the default; you write it",
      },
      { path: ".saga/.gitignore", what: "keeps what follows below out of git" },
      { path: ".saga/epics/<epic>/epic.json", what: "[an epic](#epic)" },
      { path: ".saga/stories/<story>/story.json", what: "[a story](#story)" },
      { path: ".saga/stories/<story>/<task>.json", what: "[a task](#task)" },
      { path: ".saga/stories/<story>/journal.md", what: "[the journal](#journal)" },
      { path: ".saga/archive/<story>/…", what: "a finished story, as it was" },
      { path: ".claude/settings.json", what: "the plugin, by `saga init --claude`" },
    ],
  },
  {
    title: "In the project, not in git",
    about: "What is live. `.saga/.gitignore` names it.",
    places: [
      { path: ".saga/epics.json", what: "[what is closed, running, filling](#epics), derived" },
      {
        path: ".saga/worktrees/<story>/…",
        what: "a story's own checkout, where its files are the true ones while it is worked on; `auto-1` and so on are the pool's",
      },
      { path: ".saga/runs/<story>/<run>/run.json", what: "[a run](#run)" },
      { path: ".saga/runs/<story>/<run>/events.jsonl", what: "[what happened in it](events.md)" },
      { path: ".saga/runs/<story>/stop", what: "when a person last wanted its worker to stop" },
      {
        path: ".saga/removed/<time>.<name>…",
        what: "what `saga rm` removed, as it was; move it back to have it again",
      },
      { path: ".saga/removed/.gitignore", what: "keeps that folder out of git" },
      { path: ".saga/leases/<name>/<number>.json", what: "[a lease](#lease)" },
      { path: ".saga/leases/changes", what: "a count, by which readers see that something moved" },
      {
        path: ".saga/notices/<notice>/said.json",
        what: "how a notice was said, so that it is said once",
      },
      { path: ".saga/notices/<notice>/<number>.json", what: "the lease of whoever says it" },
      {
        path: ".saga/auto/.gitignore",
        what: "the same, where the project's own is older than the pool",
      },
      { path: ".saga/auto/<instance>/…", what: "a pool: the daemon, its workers, their orders" },
      {
        path: ".saga/auto/repairs/<repair>/…",
        what: "what the overseer's agent found, as it was, and did",
      },
      {
        path: ".saga/transaction/…",
        what: "several files on their way into place; gone within moments",
      },
      {
        path: ".saga/<anywhere>/.<name>.tmp",
        what: "a write that is not finished, which is also the lock",
      },
    ],
  },
  {
    title: "In the repository's own folder",
    about: "Shared by all worktrees, and pushed nowhere.",
    places: [
      {
        path: ".git/saga/pulls/<number>.json",
        what: "[a pull request](#pull-request) without a forge",
      },
      { path: ".git/saga/ports/<port>.json", what: "which story has which ports" },
      { path: ".git/saga/epics/<epic>.json", what: "the branch and pull request of an epic" },
      {
        path: "refs/saga/keep/<story>/<number>",
        what: "a snapshot; `saga snapshot list` shows them",
      },
      { path: "refs/saga/merge/<story>", what: "verified, and about to be the target's" },
      { path: "refs/saga/merged/<story>", what: "arrived; the story's own commits hang on it" },
      { path: "refs/saga/conflict/<story>", what: "a conflict that was handed to an agent" },
      { path: "refs/saga/epic/<epic>/from", what: "where an epic's branch began" },
      { path: "refs/saga/epic/<epic>/tip", what: "where it was last seen" },
    ],
  },
  {
    title: "In your own state folder",
    about: "`$XDG_STATE_HOME/saga`, else `~/.local/state/saga`; closed to other users.",
    places: [
      { path: "state/receipt-key", what: "the key of the seals on receipts" },
      { path: "state/usage-limits/<account>.json", what: "until when an account's limit holds" },
      { path: "state/dashboard/<project>.json", what: "the dashboard's port and key" },
    ],
  },
  {
    title: "In the session folder",
    about: "`/tmp/saga-sessions`, or `SAGA_SESSION_DIR`; closed to other users.",
    places: [
      {
        path: "sessions/<session>.out",
        what: "what a session printed; gone when a run ended well",
      },
      {
        path: "sessions/<session>.env",
        what: "the environment on its way into a session; gone once read",
      },
    ],
  },
  {
    title: "In Claude Code's folder",
    about: "`~/.claude`, or `CLAUDE_CONFIG_DIR`.",
    places: [
      { path: "claude/tasks/<list>/<task>.json", what: "tasks in Claude Code's own form" },
      { path: "claude/tasks/<list>/.saga-owner", what: "the repository that a list belongs to" },
      { path: "claude/tasks/<list>/.lock", what: "Claude Code's own lock on a list" },
      { path: "claude/tasks/<list>/.claims/…", what: "who has claimed which loose task" },
    ],
  },
];

/** Whether one of them is meant. */
export const isKnown = (path: string): boolean => PATTERNS.some((pattern) => pattern.test(path));

const PATTERNS = REGIONS.flatMap(({ places }) => places.map(({ path }) => patternOf(path)));

function patternOf(path: string): RegExp {
  const parts = path.split(/(?<part><\w+>|…)/).map((part) => {
    if (part === "…") return ".+";
    if (part === "<anywhere>") return "(?:.+/)?";
    return /^<\w+>$/.test(part) ? "[^/]+" : part.replaceAll(".", String.raw`\.`);
  });
  return new RegExp(`^${parts.join("").replace("(?:.+/)?/", "(?:.+/)?")}$`);
}
