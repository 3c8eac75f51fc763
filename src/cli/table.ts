// Every command, in the order people meet them. A command's code is loaded only when it is named.

import type { Build } from "./command.ts";

export interface CommandEntry {
  readonly name: string;
  readonly summary: string;
  readonly load: () => Promise<{ readonly build: Build }>;
}

export const COMMANDS: readonly CommandEntry[] = [
  {
    name: "init",
    summary: "Set up a project: .saga folder, ignore rules, settings",
    load: () => import("./commands/init.ts"),
  },
  {
    name: "new",
    summary: "Create an epic, a story or a task",
    load: () => import("./commands/new.ts"),
  },
  {
    name: "stage",
    summary: "Create a whole plan at once, all or nothing",
    load: () => import("./commands/stage.ts"),
  },
  {
    name: "list",
    summary: "Show all epics and stories with their state",
    load: () => import("./commands/list.ts"),
  },
  {
    name: "show",
    summary: "Show one story, epic or task in full",
    load: () => import("./commands/show.ts"),
  },
  {
    name: "validate",
    summary: "Check every file and say what is wrong and how to fix it",
    load: () => import("./commands/validate.ts"),
  },
  {
    name: "journal",
    summary: "Read or add to a story's journal",
    load: () => import("./commands/journal.ts"),
  },
  {
    name: "archive",
    summary: "Move finished stories to the archive",
    load: () => import("./commands/archive.ts"),
  },
  {
    name: "config",
    summary: "Show or change the project's settings",
    load: () => import("./commands/config.ts"),
  },
  {
    name: "schema",
    summary: "Print the JSON Schema of a file, for editors",
    load: () => import("./commands/schema.ts"),
  },
  {
    name: "doctor",
    summary: "Check the machine and the project, and say how to fix each",
    load: () => import("./commands/doctor.ts"),
  },
  {
    name: "complete",
    summary: "Print the completion script for bash, zsh or fish",
    load: () => import("./commands/complete.ts"),
  },
];
