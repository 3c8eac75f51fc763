// `saga auto --oversee`: starts `saga auto` as a child process, and restarts it when it fails.

import { spawn } from "node:child_process";
import { join } from "node:path";
import { poolLocation, type PoolLocation } from "../../tasks/location.ts";
import { follow } from "../../agent/scope/resolve.ts";
import { parseJson } from "../../text/parse-json.ts";
import { findProblems } from "../../pool/list/find-problems.ts";
import { oversee, type OverseerEnd } from "../../pool/overseer/overseer.ts";
import { repair } from "../../pool/overseer/repair-run.ts";
import { autoFolder, layoutOf } from "../../store/project/layout.ts";
import { count } from "../../text/plural.ts";
import { notificationOfPool } from "../../story/prompts/notification.ts";
import type { Settings } from "../../story/settings/settings.ts";
import type { CommandResult, CommandContext } from "../program/command.ts";
import type { Io } from "../program/io.ts";
import { plain } from "../output/terminal.ts";
import { requireAgent } from "../start/require-startable.ts";
import { sendNotification } from "../watch/notify.ts";

/** On SIGTERM a daemon stops its agents and saves their work, which takes a while. */
const GRACE_MS = 60_000;
/** A hung daemon rarely reacts to SIGTERM. */
const HUNG_GRACE_MS = 5_000;
/** A failure after this time does not count together with earlier ones. */
const SETTLED_MS = 10 * 60_000;

/** `words`: the arguments of `saga auto`, without `--oversee`. `name`: the tmux session it runs in, if any. */
export async function overseePool(
  context: CommandContext,
  words: readonly string[],
  { session: name }: { readonly session?: string } = {},
): Promise<CommandResult> {
  const { io } = context;
  io.continueOnError();
  const store = context.openProject();
  const { project } = store;
  const settings = await store.settings();
  const { auto } = settings;
  const place = poolLocation(settings, { project, env: io.env });
  const stop = io.untilStopped();
  const [program = process.execPath, ...args] = io.program;
  const problems = () => findProblems(place.list, place.contextFile);
  const printLine = (sentence: string): void => io.writeError(`${plain(sentence)}\n`);
  const end = await oversee({
    project,
    list: place.list,
    startDaemon: () =>
      spawn(
        program,
        [
          ...args,
          "auto",
          "--no-oversee",
          ...words,
          ...(name === undefined ? [] : [`--session=${name}`]),
        ],
        {
          cwd: context.cwd,
          env: io.env,
          stdio: ["ignore", "pipe", "pipe"],
        },
      ),
    limits: { repairs: auto.repairs, pauseMs: auto.repairPause * 1000 },
    hangMs: auto.hangSeconds * 1000,
    graceMs: GRACE_MS,
    hungGraceMs: HUNG_GRACE_MS,
    settledMs: SETTLED_MS,
    findProblems: problems,
    repair: (order) =>
      repair(
        {
          // Resolved, because tools may name the same file by different paths.
          place: { list: resolved(place.list), contextFile: resolved(place.contextFile) },
          folder: join(autoFolder(layoutOf(project)), "repairs"),
          store,
          env: io.env,
          agent: requireAgent(settings, io, project),
          settings,
          findProblems: problems,
          now: Date.now,
          stop,
        },
        order,
      ),
    logLine: printLine,
    pass: io.writeError,
    now: Date.now,
    stop,
  });
  if (end.gaveUp) await notify(io, project, settings, place, end.gaveUp.why);
  return overseerResult(end);
}

/** Follows links; also for a path that does not exist yet. */
function resolved(path: string): string {
  const place = follow(path, undefined);
  return "path" in place ? place.path : path;
}

async function notify(
  io: Io,
  project: string,
  settings: Settings,
  { listId, list }: PoolLocation,
  why: string,
): Promise<void> {
  const notification = notificationOfPool({
    list: listId,
    occasion: `overseer/${new Date().toISOString()}`,
    title: `the pool on ${listId} has stopped`,
    text: `${why} The tasks are in ${list}.`,
    next: "saga task list",
  });
  await sendNotification(
    io,
    notification,
    { project, settings, env: io.env, now: Date.now },
    io.writeError,
  );
}

export function overseerResult({
  exitCode,
  gaveUp,
  answer: output,
  starts,
  repairs,
}: OverseerEnd): CommandResult {
  return {
    json: { ...objectIn(output), overseer: { starts, repairs, gaveUp: gaveUp ?? null } },
    text: () =>
      [
        output.trimEnd(),
        ...(gaveUp ? [`The overseer gave up. ${plain(gaveUp.why)}`] : []),
        ...(starts > 1 || repairs > 0
          ? [`The pool was started ${count(starts, "time")}, with ${count(repairs, "repair")}.`]
          : []),
        "",
      ]
        .filter((line, at, all) => line !== "" || at === all.length - 1)
        .join("\n"),
    exitCode,
  };
}

function objectIn(text: string): Record<string, unknown> {
  const json = parseJson(text);
  return typeof json === "object" && json !== null ? { ...json } : {};
}
