// `saga auto --oversee`: starts `saga auto` as its own child, and keeps it going.

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
import { requireClaude } from "../start/startable.ts";
import { giveNotice } from "../watch/notify.ts";

/** A daemon that is asked to end stops its agents and keeps their work, which takes a while. */
const GRACE_MS = 60_000;
/** One that is hung rarely hears it. */
const HUNG_GRACE_MS = 5_000;
/** A failure after so long has nothing to do with those before. */
const SETTLED_MS = 10 * 60_000;

/** `words` are those of `saga auto` itself, without `--oversee`; `name` is the tmux session, if it is in one. */
export async function overseePool(
  context: CommandContext,
  words: readonly string[],
  { session: name }: { readonly session?: string } = {},
): Promise<CommandResult> {
  const { io } = context;
  io.continueOnFault();
  const store = context.openProject();
  const { project } = store;
  const settings = await store.settings();
  const { auto } = settings;
  const place = poolLocation(settings, { project, env: io.env });
  const stop = io.untilStopped();
  const [program = process.execPath, ...args] = io.program;
  const problems = () => findProblems(place.list, place.contextFile);
  const tell = (sentence: string): void => io.writeError(`${plain(sentence)}\n`);
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
    patience: { repairs: auto.repairs, pauseMs: auto.repairPause * 1000 },
    hangMs: auto.hangSeconds * 1000,
    graceMs: GRACE_MS,
    hungGraceMs: HUNG_GRACE_MS,
    settledMs: SETTLED_MS,
    findProblems: problems,
    repair: (order) =>
      repair(
        {
          // Tools name files as they like: what they may touch is judged by where it really is.
          place: { list: real(place.list), contextFile: real(place.contextFile) },
          folder: join(autoFolder(layoutOf(project)), "repairs"),
          project,
          env: io.env,
          claude: requireClaude(settings, io, project),
          settings,
          findProblems: problems,
          now: Date.now,
          stop,
        },
        order,
      ),
    say: tell,
    pass: io.writeError,
    now: Date.now,
    stop,
  });
  if (end.gaveUp) await notify(io, project, settings, place, end.gaveUp.why);
  return answer(end);
}

/** Also of what is not there yet. */
function real(path: string): string {
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
  const notice = notificationOfPool({
    list: listId,
    occasion: `overseer/${new Date().toISOString()}`,
    title: `the pool on ${listId} has stopped`,
    text: `${why} The tasks are in ${list}.`,
    next: "saga task list",
  });
  await giveNotice(io, notice, { project, settings, env: io.env, now: Date.now }, io.writeError);
}

function answer({ exitCode, gaveUp, answer: said, starts, repairs }: OverseerEnd): CommandResult {
  return {
    json: { ...objectIn(said), overseer: { starts, repairs, gaveUp: gaveUp ?? null } },
    text: () =>
      [
        said.trimEnd(),
        ...(gaveUp ? [`The overseer has given up. ${plain(gaveUp.why)}`] : []),
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
