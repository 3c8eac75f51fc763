// The commands that look at a project or write its files, and start no work. They are a file of their own in what is
// shipped: Node reads all of a file before it runs the first line of it, and all the others are twice as much again.

import type { Io } from "./io.ts";
import { runLoaded, type Loader } from "./run-command.ts";
import type { LookName } from "./table.ts";

export const LOOKS: Readonly<Record<LookName, Loader>> = {
  init: () => import("../commands/admin/init.ts"),
  new: () => import("../commands/plan/new.ts"),
  stage: () => import("../commands/plan/stage.ts"),
  edit: () => import("../commands/plan/edit.ts"),
  list: () => import("../commands/plan/list.ts"),
  show: () => import("../commands/plan/show.ts"),
  validate: () => import("../commands/plan/validate.ts"),
  journal: () => import("../commands/plan/journal.ts"),
  sessions: () => import("../commands/run/sessions.ts"),
  attach: () => import("../commands/run/attach.ts"),
  logs: () => import("../commands/run/logs.ts"),
  status: () => import("../commands/run/status.ts"),
  config: () => import("../commands/admin/config.ts"),
  schema: () => import("../commands/admin/schema.ts"),
  doctor: () => import("../commands/admin/doctor.ts"),
};

export const runLook = (name: LookName, words: readonly string[], io: Io): Promise<number> =>
  runLoaded(LOOKS[name], words, io);
