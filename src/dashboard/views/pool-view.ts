// The pool: its daemons and workers, from the files they leave for each other in `.saga/auto`, and the tasks of
// its list. All of it is only looked at.

import { existsSync } from "node:fs";
import { newClaimObserver } from "../../tasks/claims/claim-observer.ts";
import { deadClaims } from "../../tasks/claims/dead-claims.ts";
import { folderOfOwner, foreignOwner } from "../../tasks/list-owner.ts";
import type { ListLocation } from "../../tasks/location.ts";
import { isPlainName } from "../../claude/tasks/file.ts";
import {
  isRunning,
  isWorkerName,
  readDaemons,
  tasksInHand,
  type DaemonView,
} from "../../tasks/daemon-files.ts";
import { openPoolList, type PoolList } from "./pool-list.ts";
import { poolTaskCards } from "./pool-tasks.ts";
import type { PoolCard, PoolDaemon, PoolTaskCard, PoolWorkerCard } from "../protocol/messages.ts";

export interface PoolView {
  /** By the name of the list; none when the project has no pool. */
  readonly read: () => Promise<ReadonlyMap<string, PoolCard>>;
  /** The folders whose changes matter. */
  readonly folders: () => readonly string[];
  /** Worth another look soon: someone is at work, or a file was half written. */
  readonly isLively: () => boolean;
}

export function newPoolView(project: string, settled: () => ListLocation | undefined): PoolView {
  // Kept: of a claimer on another machine it knows only what it has watched for long.
  const observer = newClaimObserver();
  const lists = new Map<string, PoolList>();
  let seen: readonly DaemonView[] = [];

  /** The one that the settings name, and those that someone is at work on. */
  const places = (): ListLocation[] => {
    const found = new Map<string, ListLocation>();
    for (const { daemon } of seen.filter(isRunning)) {
      const { list: listId, folder: list } = daemon;
      if (isPlainName(listId)) found.set(listId, { listId, list });
    }
    const own = settled();
    if (own) found.set(own.listId, own);
    return [...found.values()];
  };
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
    const daemons = shown(seen.filter(({ daemon }) => daemon.list === listId));
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
      problems: daemons.flatMap(({ daemon }) => daemon.problem?.message ?? []),
    };
  };
  return {
    async read() {
      seen = readDaemons(project);
      const cards = new Map<string, PoolCard>();
      for (const place of places()) {
        // A project that has never used its pool has none to show.
        if (place.isDefault && !existsSync(place.list)) continue;
        cards.set(place.listId, await readCard(place));
      }
      return cards;
    },
    folders: () => places().map(({ list }) => list),
    isLively: () => seen.some(isRunning) || [...lists.values()].some((one) => one.isTorn()),
  };
}

/** Those that live; else the last one, for why it has ended. */
function shown(seen: readonly DaemonView[]): readonly DaemonView[] {
  const alive = seen.filter(isRunning);
  return alive.length > 0 ? alive : seen.slice(-1);
}

function daemonCard(seen: DaemonView): PoolDaemon {
  const { instance, process, startedAt, state } = seen.daemon;
  const hasDied = state !== "ended" && !isRunning(seen);
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
