// Reads the pool: its daemons and workers, from the files they write in `.saga/auto`, and the tasks of its list.
// Writes nothing.

import { existsSync } from "node:fs";
import { newClaimObserver } from "../../store/claims/claim-observer.ts";
import { deadClaims } from "../../tasks/claims/dead-claims.ts";
import { folderOfOwner, foreignOwner } from "../../tasks/list-owner.ts";
import { shownLists, type ListLocation } from "../../tasks/location.ts";
import {
  isRunning,
  isWorkerName,
  readDaemons,
  tasksInHand,
  type DaemonView,
} from "../../tasks/daemon-files.ts";
import { pausedPool } from "../../story/money/day-budget.ts";
import { openPoolList, type PoolList } from "./pool-list.ts";
import { poolTaskCards } from "./pool-tasks.ts";
import type { PoolCard, PoolDaemon, PoolTaskCard, PoolWorkerCard } from "../protocol/messages.ts";

export interface PoolView {
  /** By the name of the list. Empty if the project has no pool. */
  readonly read: () => Promise<ReadonlyMap<string, PoolCard>>;
  /** The folders whose changes matter. */
  readonly folders: () => readonly string[];
  /** Should be read again soon: a daemon is running, or a file was half written. */
  readonly isActive: () => boolean;
}

export function newPoolView(project: string, configured: () => ListLocation | undefined): PoolView {
  // One for all reads: it recognises a dead claimer on another machine only after watching it for a while.
  const observer = newClaimObserver();
  const lists = new Map<string, PoolList>();
  let daemonViews: readonly DaemonView[] = [];

  const locations = (): readonly ListLocation[] =>
    shownLists(configured(), daemonViews.filter(isRunning));
  const listAt = (folder: string): PoolList => {
    const known = lists.get(folder) ?? openPoolList(folder);
    lists.set(folder, known);
    return known;
  };
  const readTasks = async (
    folder: string,
    daemons: readonly DaemonView[],
    workers: readonly PoolWorkerCard[],
  ): Promise<PoolTaskCard[]> => {
    const listing = await listAt(folder).read();
    const among = listing.board.inProgress().map(({ id }) => id);
    const dead = await deadClaims(folder, observer, { among, isClaimer: isWorkerName });
    const names = new Set(workers.map(({ name }) => name));
    return poolTaskCards(listing, {
      dead: new Set(dead.map(({ taskId }) => taskId)),
      running: tasksInHand(daemons),
      isOwn: (owner) => names.has(owner),
    });
  };
  const readCard = async ({ listId, list }: ListLocation): Promise<PoolCard> => {
    const daemons = shownDaemons(daemonViews.filter(({ daemon }) => daemon.list === listId));
    const workers = daemons.flatMap(workersOf);
    const owner = foreignOwner(list, project);
    if (owner !== undefined) {
      const problem = `The list ${listId} belongs to another repository: ${folderOfOwner(owner)}.`;
      return { list: listId, daemons: [], workers: [], tasks: [], problems: [problem] };
    }
    return {
      list: listId,
      daemons: daemons.map(daemonCard),
      workers,
      tasks: await readTasks(list, daemons, workers),
      problems: daemons.flatMap(({ daemon: { problem, pause } }) => [
        ...(problem ? [problem.message] : []),
        ...(pause === undefined ? [] : [pausedPool(pause)]),
      ]),
    };
  };
  return {
    async read() {
      daemonViews = readDaemons(project);
      const cards = new Map<string, PoolCard>();
      for (const location of locations()) {
        // The pool was never used.
        if (location.isDefault && !existsSync(location.list)) continue;
        cards.set(location.listId, await readCard(location));
      }
      return cards;
    },
    folders: () => locations().map(({ list }) => list),
    isActive: () => daemonViews.some(isRunning) || [...lists.values()].some((one) => one.isTorn()),
  };
}

/** The running ones. If there are none, the last one, to show why it ended. */
function shownDaemons(views: readonly DaemonView[]): readonly DaemonView[] {
  const running = views.filter(isRunning);
  return running.length > 0 ? running : views.slice(-1);
}

function daemonCard(view: DaemonView): PoolDaemon {
  const { instance, process, startedAt, state } = view.daemon;
  const hasDied = state !== "ended" && !isRunning(view);
  return { instance, pid: process.pid, state: hasDied ? "died" : state, startedAt };
}

const workersOf = ({ daemon: { instance }, workers }: DaemonView): PoolWorkerCard[] =>
  workers
    .filter(({ life }) => life !== "dead")
    .map(({ worker, state, task, run, since, lastToolAt }) => ({
      name: worker,
      instance,
      state,
      task,
      run,
      since,
      lastToolAt,
    }));
