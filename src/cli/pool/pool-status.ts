// `saga auto status`, `stop` and `drain`: a running pool, seen and told from outside.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { requireReadable } from "../../tasks/list-owner.ts";
import { poolLocation } from "../../tasks/location.ts";
import { readTaskList } from "../../claude/tasks/list.ts";
import { SagaError } from "../../errors.ts";
import { livenessOf } from "../../machine/processes/process-id.ts";
import { DRAIN_FILE } from "../../pool/daemon/daemon.ts";
import {
  activeTasks,
  isRunning,
  isWorkerName,
  readDaemons,
  type DaemonView,
} from "../../tasks/daemon-files.ts";
import { duration } from "../../text/duration.ts";
import type { CommandResult, CommandContext } from "../program/command.ts";
import { plain, short, type Paint } from "../output/terminal.ts";

export async function poolStatus({ io, openProject }: CommandContext): Promise<CommandResult> {
  const store = openProject();
  const settings = await store.settings();
  const place = poolLocation(settings, { project: store.project, env: io.env });
  requireReadable(place, store.project);
  const { listId, list } = place;
  const all = readDaemons(store.project);
  const running = all.filter(isRunning);
  const last = all.findLast((seen) => !isRunning(seen));
  const tasks = await readTaskList(list);
  // What the list says first: a worker's own file may be a moment behind, and others may be elsewhere.
  const claimed = tasks.flatMap(({ id, status, owner = "" }) =>
    status === "in_progress" && isWorkerName(owner) ? [[owner, id] as const] : [],
  );
  const active = { ...activeTasks(running), ...Object.fromEntries(claimed) };
  return {
    json: {
      list: listId,
      folder: list,
      daemons: running.map(poolJson),
      active_task_ids: active,
      ...(running.length === 0 && last && { last: poolJson(last) }),
    },
    text: (paint) => render(listId, running, last, paint),
  };
}

export const poolJson = ({ daemon, workers }: DaemonView) => ({
  instance: daemon.instance,
  pid: daemon.process.pid,
  startedAt: daemon.startedAt,
  session: daemon.session,
  state: daemon.state,
  problem: daemon.problem,
  workers: workers.map(
    ({ worker, state, task, subject, run, since, lastToolAt, session, life }) => ({
      worker,
      state: life === "dead" ? "ended" : state,
      task,
      subject,
      run,
      since,
      lastToolAt,
      session,
    }),
  ),
});

function render(
  list: string,
  running: readonly DaemonView[],
  last: DaemonView | undefined,
  paint: Paint,
): string {
  if (running.length === 0) {
    const problem = last?.daemon.problem;
    const why = problem
      ? ` The last one could not go on (${problem.kind}): ${problem.message}`
      : "";
    return `No pool works through ${plain(list)}.${plain(why)} \`saga auto\` starts one.\n`;
  }
  return `${poolLines(running, paint).join("\n")}\n`;
}

/** Each daemon with its workers; none when no pool is running. */
export function poolLines(running: readonly DaemonView[], paint: Paint): string[] {
  const nowMs = Date.now();
  const ago = (at: string): string => duration(nowMs - Date.parse(at));
  return running.flatMap(({ daemon, workers }) => [
    `${paint("bold", `Pool on ${plain(daemon.list)}, ${daemon.state}`)}${paint("dim", `, begun ${ago(daemon.startedAt)} ago, process ${daemon.process.pid}`)}`,
    ...workers.map(({ worker, state, task, subject, since, life }) => {
      const what = task === undefined ? "" : `  ${plain(task)} ${short(subject ?? "")}`;
      const now = life === "dead" ? "ended" : state;
      return `  ${worker}  ${now}${what}  ${paint("dim", `for ${ago(since)}`)}`;
    }),
  ]);
}

export const runningPools = (project: string): DaemonView[] =>
  readDaemons(project).filter(isRunning);

/** Every one that runs, or the one that is named: none, when that one has ended already. */
function poolsToTell(project: string, instance: string | undefined): DaemonView[] {
  if (instance === undefined) return runningPools(project);
  const named = readDaemons(project).find(({ daemon }) => daemon.instance === instance);
  if (named) return [named].filter(isRunning);
  throw new SagaError("not-found", `There is no pool ${instance}.`, {
    hint: "`saga auto status --json` names those that run.",
  });
}

/** A daemon that is asked to end stops its agents and keeps their work. */
const PATIENCE_MS = 120_000;

export interface StoppedPools {
  /** By the names of their instances. */
  readonly stopped: readonly string[];
  /** Because it takes long, or runs elsewhere. */
  readonly left: readonly string[];
}

export async function stopPools(
  { io, openProject }: CommandContext,
  instance?: string,
): Promise<StoppedPools> {
  const running = poolsToTell(openProject().project, instance);
  const own = running.filter(({ daemon }) => livenessOf(daemon.process) === "alive");
  for (const { daemon } of own) process.kill(daemon.process.pid, "SIGTERM");
  const stop = io.untilStopped();
  const deadlineMs = Date.now() + PATIENCE_MS;
  const isOver = ({ daemon }: DaemonView): boolean => livenessOf(daemon.process) === "dead";
  while (!own.every(isOver) && Date.now() < deadlineMs && !stop.aborted) await wait(50);
  const stopped = own.filter(isOver).map(({ daemon }) => daemon.instance);
  const left = running.map(({ daemon }) => daemon.instance).filter((one) => !stopped.includes(one));
  return { stopped, left };
}

/** Nothing when there was none. */
export function stoppedLine({ stopped, left }: StoppedPools): string | undefined {
  if (left.length > 0) {
    return `Not stopped, because it takes long or runs elsewhere: ${left.join(", ")}.`;
  }
  return stopped.length === 0
    ? undefined
    : "The pool has stopped. What was being worked on is kept, and its tasks are back on the list.";
}

export async function stopPool(context: CommandContext, instance?: string): Promise<CommandResult> {
  const pools = await stopPools(context, instance);
  return {
    json: pools,
    text: () => `${stoppedLine(pools) ?? "No pool is running."}\n`,
    exitCode: pools.left.length === 0 ? 0 : 1,
  };
}

export async function drainPool(
  { openProject }: CommandContext,
  instance?: string,
): Promise<CommandResult> {
  const running = poolsToTell(openProject().project, instance);
  for (const { folder } of running) writeFileSync(join(folder, DRAIN_FILE), "");
  return {
    json: { draining: running.map(({ daemon }) => daemon.instance) },
    text: () =>
      running.length === 0
        ? "No pool is running.\n"
        : "Nothing new is begun. The pool ends when what is being worked on is finished.\n",
  };
}
