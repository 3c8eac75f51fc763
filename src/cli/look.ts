// The commands that look at a project or write its files, and start no work. They are a file of their own in what is
// shipped: Node reads all of a file before it runs the first line of it, and all the others are twice as much again.

import type { Io } from "./io.ts";
import { runLoaded, type Loader } from "./run-command.ts";
import type { LookName } from "./table.ts";

export const LOOKS: Readonly<Record<LookName, Loader>> = {
  init: () => import("./commands/init.ts"),
  new: () => import("./commands/new.ts"),
  stage: () => import("./commands/stage.ts"),
  edit: () => import("./commands/edit.ts"),
  list: () => import("./commands/list.ts"),
  show: () => import("./commands/show.ts"),
  validate: () => import("./commands/validate.ts"),
  journal: () => import("./commands/journal.ts"),
  sessions: () => import("./commands/sessions.ts"),
  attach: () => import("./commands/attach.ts"),
  logs: () => import("./commands/logs.ts"),
  status: () => import("./commands/status.ts"),
  config: () => import("./commands/config.ts"),
  schema: () => import("./commands/schema.ts"),
  doctor: () => import("./commands/doctor.ts"),
};

export const runLook = (name: LookName, words: readonly string[], io: Io): Promise<number> =>
  runLoaded(LOOKS[name], words, io);
