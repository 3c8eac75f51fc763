// Every command, in the order people meet them. Only names and one line each: this is what
// `saga --help` needs, and nothing more is loaded for it.

export const COMMANDS = [
  { name: "init", summary: "Set up a project: .saga folder, ignore rules, settings" },
  { name: "new", summary: "Create an epic, a story or a task" },
  { name: "stage", summary: "Create a whole plan at once, all or nothing" },
  { name: "edit", summary: "Change a story, an epic or a task" },
  { name: "rm", summary: "Remove a story, an epic or a task; its files and work are kept" },
  { name: "list", summary: "Show all epics and stories with their state" },
  { name: "show", summary: "Show one story, epic or task in full" },
  { name: "validate", summary: "Check every file and say what is wrong and how to fix it" },
  { name: "journal", summary: "Read or add to a story's journal" },
  { name: "run", summary: "Start a worker on a story, in a session of its own" },
  { name: "epic", summary: "Work through an epic's stories in their order" },
  { name: "auto", summary: "Work through a list of loose tasks with several workers" },
  { name: "task", summary: "Add, show, change and release the loose tasks of that list" },
  { name: "sessions", summary: "List the sessions that are running" },
  { name: "attach", summary: "Look into a running session" },
  { name: "logs", summary: "Show what a worker did, live or afterwards" },
  { name: "status", summary: "Show what is running now, and what needs you" },
  { name: "dashboard", summary: "See everything in a browser, and decide from there" },
  { name: "stop", summary: "Stop a worker, its agent and everything they started" },
  { name: "resolve", summary: "Answer the question that blocks a story" },
  { name: "verify", summary: "Run a story's gate again, and compare its receipts with the code" },
  { name: "recover", summary: "Show what was in flight when its worker ended" },
  { name: "resume", summary: "Go on with a story that was in flight" },
  { name: "discard", summary: "Give up the work on a story; a snapshot is kept" },
  { name: "split", summary: "Split a task that is too large into smaller ones" },
  { name: "accept", summary: "Accept a finished story, as a person" },
  { name: "reject", summary: "Send a finished story back, with what has to be different" },
  { name: "merge", summary: "Bring a finished story into its target, verified" },
  { name: "push", summary: "Push a story's branch, where a run could not" },
  { name: "keep", summary: "List or restore snapshots of work" },
  { name: "clean", summary: "Remove what is left over, and nothing that could be missed" },
  { name: "worker", summary: "Work on a story here and now (what `run` starts)" },
  { name: "hydrate", summary: "Load a story's tasks into a task list of Claude Code" },
  { name: "archive", summary: "Move finished stories to the archive" },
  { name: "unarchive", summary: "Move stories back from the archive" },
  { name: "config", summary: "Show or change the project's settings" },
  { name: "schema", summary: "Print the JSON Schema of a file, for editors" },
  { name: "demo", summary: "See it all work on a throw-away project, without an account" },
  { name: "doctor", summary: "Check the machine and the project, and say how to fix each" },
  { name: "complete", summary: "Print the completion script for bash, zsh or fish" },
] as const;

/** What is asked for often, and starts no work: `look.ts` says why it is apart. */
const LOOKS = [
  "init",
  "new",
  "stage",
  "edit",
  "list",
  "show",
  "validate",
  "journal",
  "sessions",
  "attach",
  "logs",
  "status",
  "config",
  "schema",
  "doctor",
] as const;

/** What Saga starts itself, and nobody types: in no help and no completion. */
const HIDDEN = ["auto-worker"] as const;

export type CommandName = (typeof COMMANDS)[number]["name"] | (typeof HIDDEN)[number];

export type LookName = (typeof LOOKS)[number];

export const isLook = (command: CommandName): command is LookName =>
  LOOKS.some((name) => name === command);

export const isCommand = (word: string): word is CommandName =>
  COMMANDS.some(({ name }) => name === word) || HIDDEN.some((name) => name === word);
