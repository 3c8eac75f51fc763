// `saga auto status`, `stop` and `drain`.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { requireReadable } from "../../tasks/list-owner.ts";
import { poolLocation } from "../../tasks/location.ts";
import { readTaskList } from "../../claude/tasks/list.ts";
import { SagaError } from "../../errors.ts";
import { livenessOf } from "../../machine/processes/process-id.ts";
import { waitUntil } from "../../machine/processes/timer.ts";
import { DRAIN_FILE } from "../../pool/daemon/daemon.ts";
import { pausedPool } from "../../story/money/day-budget.ts";
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
  const last = all.findLast((daemon) => !isRunning(daemon));
  const tasks = await readTaskList(list);
  // The list wins: a worker's own file may be out of date, and other workers may be on another machine.
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
  pause: daemon.pause,
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
    const why = problem ? ` The last one failed (${problem.kind}): ${problem.message}` : "";
    return `No pool is running for the task list ${plain(list)}.${plain(why)} Start one: \`saga auto\`.\n`;
  }
  return `${poolLines(running, paint).join("\n")}\n`;
}

/** Each daemon with its workers. */
export function poolLines(running: readonly DaemonView[], paint: Paint): string[] {
  const nowMs = Date.now();
  const ago = (at: string): string => duration(nowMs - Date.parse(at));
  return running.flatMap(({ daemon, workers }) => [
    `${paint("bold", `Pool on ${plain(daemon.list)}, ${daemon.state}`)}${paint("dim", `, started ${ago(daemon.startedAt)} ago, process ${daemon.process.pid}`)}`,
    ...(daemon.pause === undefined ? [] : [`  ${plain(pausedPool(daemon.pause))}`]),
    ...workers.map(({ worker, state, task, subject, since, life }) => {
      const what = task === undefined ? "" : `  ${plain(task)} ${short(subject ?? "")}`;
      const now = life === "dead" ? "ended" : state;
      return `  ${worker}  ${now}${what}  ${paint("dim", `for ${ago(since)}`)}`;
    }),
  ]);
}

export const runningPools = (project: string): DaemonView[] =>
  readDaemons(project).filter(isRunning);

/** All running pools, or only the named one, if it is still running. */
function selectPools(project: string, instance: string | undefined): DaemonView[] {
  if (instance === undefined) return runningPools(project);
  const found = readDaemons(project).find(({ daemon }) => daemon.instance === instance);
  if (found) return [found].filter(isRunning);
  throw new SagaError("not-found", `There is no pool ${instance}.`, {
    hint: "`saga auto status --json` lists the running pools.",
  });
}

/** On SIGTERM a daemon stops its agents and saves their work, which takes a while. */
const STOP_WAIT_MS = 120_000;

export interface StoppedPools {
  /** Ids of daemons. */
  readonly stopped: readonly string[];
  /** Still stopping, or on another machine. */
  readonly left: readonly string[];
}

export async function stopPools(
  { io, openProject }: CommandContext,
  instance?: string,
): Promise<StoppedPools> {
  const running = selectPools(openProject().project, instance);
  const own = running.filter(({ daemon }) => livenessOf(daemon.process) === "alive");
  for (const { daemon } of own) process.kill(daemon.process.pid, "SIGTERM");
  const isOver = ({ daemon }: DaemonView): boolean => livenessOf(daemon.process) === "dead";
  await waitUntil(() => own.every(isOver), { maxMs: STOP_WAIT_MS, stop: io.untilStopped() });
  const stopped = own.filter(isOver).map(({ daemon }) => daemon.instance);
  const left = running.map(({ daemon }) => daemon.instance).filter((one) => !stopped.includes(one));
  return { stopped, left };
}

/** Undefined if no pool was running. */
export function stoppedLine({ stopped, left }: StoppedPools): string | undefined {
  if (left.length > 0) {
    return `Still stopping, or on another machine: ${left.join(", ")}.`;
  }
  return stopped.length === 0
    ? undefined
    : "The pool was stopped. Running tasks kept their work and are back on the list.";
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
  const running = selectPools(openProject().project, instance);
  for (const { folder } of running) writeFileSync(join(folder, DRAIN_FILE), "");
  return {
    json: { draining: running.map(({ daemon }) => daemon.instance) },
    text: () =>
      running.length === 0
        ? "No pool is running.\n"
        : "Draining: no new tasks will start; the pool exits when running tasks finish.\n",
  };
}
