// Every command there is.

import type { Io } from "./io.ts";
import { LOOKS } from "./look.ts";
import { runLoaded, type Loader } from "./run-command.ts";
import type { CommandName } from "./table.ts";

export const LOADERS: Readonly<Record<CommandName, Loader>> = {
  ...LOOKS,
  rm: () => import("./commands/rm.ts"),
  run: () => import("./commands/run.ts"),
  dashboard: () => import("./commands/dashboard.ts"),
  stop: () => import("./commands/stop.ts"),
  resolve: () => import("./commands/resolve.ts"),
  verify: () => import("./commands/verify.ts"),
  accept: () => import("./commands/accept.ts"),
  reject: () => import("./commands/reject.ts"),
  merge: () => import("./commands/merge.ts"),
  push: () => import("./commands/push.ts"),
  epic: () => import("./commands/epic.ts"),
  auto: () => import("./commands/auto.ts"),
  task: () => import("./commands/task.ts"),
  "auto-worker": () => import("./commands/auto-worker.ts"),
  recover: () => import("./commands/recover.ts"),
  resume: () => import("./commands/resume.ts"),
  discard: () => import("./commands/discard.ts"),
  split: () => import("./commands/split.ts"),
  keep: () => import("./commands/keep.ts"),
  clean: () => import("./commands/clean.ts"),
  hydrate: () => import("./commands/hydrate.ts"),
  worker: () => import("./commands/worker.ts"),
  archive: () => import("./commands/archive.ts"),
  unarchive: () => import("./commands/unarchive.ts"),
  demo: () => import("./commands/demo.ts"),
  complete: () => import("./commands/complete.ts"),
};

export const runCommand = (name: CommandName, words: readonly string[], io: Io): Promise<number> =>
  runLoaded(LOADERS[name], words, io);
