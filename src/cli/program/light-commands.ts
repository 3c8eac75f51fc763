// Commands that read a project or write its files, and start no work. They are bundled into a file of their own:
// Node compiles a whole file before it runs it, and the other commands would triple its size.

import type { Io } from "./io.ts";
import { runLoaded, type Loader } from "./run-command.ts";
import type { LightCommandName } from "./table.ts";

export const LIGHT_LOADERS: Readonly<Record<LightCommandName, Loader>> = {
  init: () => import("../commands/admin/init.ts"),
  new: () => import("../commands/plan/new.ts"),
  stage: () => import("../commands/plan/stage.ts"),
  edit: () => import("../commands/plan/edit.ts"),
  list: () => import("../commands/plan/list.ts"),
  show: () => import("../commands/plan/show.ts"),
  validate: () => import("../commands/plan/validate.ts"),
  journal: () => import("../commands/plan/journal.ts"),
  note: () => import("../commands/run/note.ts"),
  search: () => import("../commands/run/search.ts"),
  sessions: () => import("../commands/run/sessions.ts"),
  attach: () => import("../commands/run/attach.ts"),
  logs: () => import("../commands/run/logs.ts"),
  status: () => import("../commands/run/status.ts"),
  cost: () => import("../commands/run/cost.ts"),
  config: () => import("../commands/admin/config.ts"),
  schema: () => import("../commands/admin/schema.ts"),
  doctor: () => import("../commands/admin/doctor.ts"),
};

export const runLightCommand = (
  name: LightCommandName,
  words: readonly string[],
  io: Io,
): Promise<number> => runLoaded(LIGHT_LOADERS[name], words, io);
