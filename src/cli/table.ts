// Every command, in the order people meet them. Only names and one line each: this is what
// `saga --help` needs, and nothing more is loaded for it.

export const COMMANDS = [
  { name: "init", summary: "Set up a project: .saga folder, ignore rules, settings" },
  { name: "new", summary: "Create an epic, a story or a task" },
  { name: "stage", summary: "Create a whole plan at once, all or nothing" },
  { name: "list", summary: "Show all epics and stories with their state" },
  { name: "show", summary: "Show one story, epic or task in full" },
  { name: "validate", summary: "Check every file and say what is wrong and how to fix it" },
  { name: "journal", summary: "Read or add to a story's journal" },
  { name: "archive", summary: "Move finished stories to the archive" },
  { name: "config", summary: "Show or change the project's settings" },
  { name: "schema", summary: "Print the JSON Schema of a file, for editors" },
  { name: "doctor", summary: "Check the machine and the project, and say how to fix each" },
  { name: "complete", summary: "Print the completion script for bash, zsh or fish" },
] as const;

export type CommandName = (typeof COMMANDS)[number]["name"];

export const isCommand = (word: string): word is CommandName =>
  COMMANDS.some(({ name }) => name === word);
