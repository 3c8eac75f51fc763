// Every command by topic, in the order people meet them. Only names and one line each: `saga --help` loads nothing else.

export const TOPICS = [
  {
    title: "Plan",
    commands: [
      { name: "init", summary: "Set up a project: .saga folder, ignore rules, settings" },
      { name: "new", summary: "Create an epic, story or task" },
      { name: "stage", summary: "Create a whole plan at once, all or nothing" },
      { name: "edit", summary: "Change an epic, story or task" },
      { name: "rm", summary: "Remove an epic, story or task; its files and work are kept" },
      { name: "list", summary: "List epics and stories with their state" },
      { name: "show", summary: "Show one epic, story or task" },
      { name: "validate", summary: "Check all files and say how to fix each problem" },
      { name: "split", summary: "Split a task that is too large" },
      { name: "journal", summary: "Read or add to a story's journal" },
      { name: "task", summary: "Add, list, change and release loose tasks, which need no story" },
      { name: "archive", summary: "Move finished stories to the archive" },
      { name: "unarchive", summary: "Move stories back from the archive" },
    ],
  },
  {
    title: "Run",
    commands: [
      { name: "run", summary: "Start or continue a story in a detached session" },
      { name: "epic", summary: "Run an epic's stories in their order" },
      { name: "auto", summary: "Run the pool: several workers for loose tasks" },
      { name: "status", summary: "Show what is running and what needs you" },
      { name: "cost", summary: "Show what runs have cost" },
      { name: "logs", summary: "Show what a worker did, live or afterwards" },
      { name: "search", summary: "Search stories, tasks, journals and logs" },
      { name: "sessions", summary: "List running sessions" },
      { name: "attach", summary: "Watch a running session" },
      { name: "note", summary: "Write a note to a story's agent" },
      { name: "stop", summary: "Stop a worker, its agent and everything they started" },
      { name: "resume", summary: "Continue stories that were stopped, killed or at a limit" },
      { name: "worker", summary: "Run a story in this terminal (what `run` starts)" },
      { name: "hydrate", summary: "Load a story's tasks into a Claude Code task list" },
    ],
  },
  {
    title: "Decide",
    commands: [
      { name: "resolve", summary: "Answer the question that blocks a story" },
      { name: "diff", summary: "Show what a story changes" },
      { name: "open", summary: "Open a story's pull request or page in the browser" },
      { name: "verify", summary: "Run a story's checks again" },
      { name: "accept", summary: "Approve a finished story" },
      { name: "send-back", summary: "Send a finished story back with feedback" },
      { name: "merge", summary: "Merge a finished story or epic into its target" },
      { name: "queue", summary: "Show what waits to be merged; hold, release or drop it" },
      { name: "push", summary: "Push a story's branch again after a failed push" },
    ],
  },
  {
    title: "Recover",
    commands: [
      { name: "recover", summary: "List unfinished stories that have no worker" },
      { name: "discard", summary: "Discard the work on a story; a snapshot is kept" },
      { name: "snapshot", summary: "List or restore snapshots of work" },
      { name: "clean", summary: "Delete leftover files; never unmerged work" },
    ],
  },
  {
    title: "Administer",
    commands: [
      { name: "dashboard", summary: "Open the web dashboard" },
      { name: "fleet", summary: "Share the backlog with other machines" },
      { name: "config", summary: "Show or change the project's settings" },
      { name: "doctor", summary: "Check machine and project, and say how to fix each problem" },
      { name: "schema", summary: "Print the JSON Schema of a file, for editors" },
      { name: "demo", summary: "Try Saga on a throw-away project, without an account" },
      { name: "complete", summary: "Print the completion script for bash, zsh or fish" },
    ],
  },
] as const;

export const COMMANDS = TOPICS.flatMap(({ commands }) => [...commands]);

/** Former names, for scripts that use them, and a name that other tools have. Not in help or completion. */
const ALIASES = { keep: "snapshot", reject: "send-back", completion: "complete" } as const;

/** Commands that start no work. `light-commands.ts` says why they are separate. */
const LIGHT_COMMANDS = [
  "init",
  "new",
  "stage",
  "edit",
  "list",
  "show",
  "validate",
  "journal",
  "note",
  "search",
  "sessions",
  "attach",
  "logs",
  "status",
  "config",
  "cost",
  "schema",
  "doctor",
] as const;

/** Started by Saga itself. Not in help or completion. */
const HIDDEN = ["auto-worker"] as const;

export type CommandName =
  | (typeof TOPICS)[number]["commands"][number]["name"]
  | (typeof HIDDEN)[number];

export type LightCommandName = (typeof LIGHT_COMMANDS)[number];

export const isLightCommand = (command: CommandName): command is LightCommandName =>
  LIGHT_COMMANDS.some((name) => name === command);

/** Finds a command by its name or a former one. */
export function commandNamed(word: string): CommandName | undefined {
  const name = Object.hasOwn(ALIASES, word) ? ALIASES[word as keyof typeof ALIASES] : word;
  return [...COMMANDS.map((command) => command.name), ...HIDDEN].find((known) => known === name);
}
