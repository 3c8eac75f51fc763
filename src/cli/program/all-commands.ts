// The loader of every command.

import { withSharedStory } from "../fleet/shared-story.ts";
import { shareOf } from "../fleet/open-fleet.ts";
import type { Io } from "./io.ts";
import { LIGHT_LOADERS } from "./light-commands.ts";
import { runLoaded, type Loader } from "./run-command.ts";
import type { CommandName } from "./table.ts";

export const LOADERS: Readonly<Record<CommandName, Loader>> = {
  ...LIGHT_LOADERS,
  rm: () => import("../commands/plan/rm.ts"),
  run: () => import("../commands/run/run.ts"),
  dashboard: () => import("../commands/admin/dashboard.ts"),
  stop: () => import("../commands/run/stop.ts"),
  resolve: () => import("../commands/decide/resolve.ts"),
  diff: () => import("../commands/decide/diff.ts"),
  open: () => import("../commands/decide/open.ts"),
  verify: () => import("../commands/decide/verify.ts"),
  accept: () => import("../commands/decide/accept.ts"),
  "send-back": () => import("../commands/decide/send-back.ts"),
  merge: () => import("../commands/decide/merge.ts"),
  queue: () => import("../commands/decide/queue.ts"),
  push: () => import("../commands/decide/push.ts"),
  epic: () => import("../commands/run/epic.ts"),
  auto: () => import("../commands/run/auto.ts"),
  task: () => import("../commands/plan/task.ts"),
  "auto-worker": () => import("../commands/run/auto-worker.ts"),
  recover: () => import("../commands/recover/recover.ts"),
  resume: () => import("../commands/run/resume.ts"),
  discard: () => import("../commands/recover/discard.ts"),
  split: () => import("../commands/plan/split.ts"),
  snapshot: () => import("../commands/recover/snapshot.ts"),
  clean: () => import("../commands/recover/clean.ts"),
  hydrate: () => import("../commands/run/hydrate.ts"),
  worker: () => import("../commands/run/worker.ts"),
  archive: () => import("../commands/plan/archive.ts"),
  unarchive: () => import("../commands/plan/unarchive.ts"),
  fleet: () => import("../commands/fleet/fleet.ts"),
  demo: () => import("../commands/admin/demo.ts"),
  complete: () => import("../commands/admin/complete.ts"),
};

export const runCommand = (name: CommandName, words: readonly string[], io: Io): Promise<number> =>
  runLoaded(LOADERS[name], words, io, { shareOf, withSharedStory });
