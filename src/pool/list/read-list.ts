// The list of the pool for display: every task with its state.

import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { newClaimObserver } from "../../store/claims/claim-observer.ts";
import { deadClaims } from "../../tasks/claims/dead-claims.ts";
import { readList } from "../../tasks/read-list.ts";
import { taskIdOf } from "../../claude/tasks/file.ts";
import { ifThere } from "../../machine/files/files.ts";
import { isWorkerName, readDaemons, tasksInHand } from "../../tasks/daemon-files.ts";
import type { PoolListing } from "../../tasks/listing.ts";
import type { PoolProblem } from "../../tasks/problem.ts";
import { inOrder, viewList, type PoolTaskView } from "../../tasks/view.ts";

export interface PoolListView extends PoolListing {
  /** In the order of selection. */
  readonly views: readonly PoolTaskView[];
  /** Problems that keep the pool from starting tasks. */
  readonly problems: readonly PoolProblem[];
  /** Names of files that look like tasks but that Claude Code ignores. */
  readonly unseen: readonly string[];
}

export async function viewPoolList(list: string, project: string): Promise<PoolListView> {
  const listing = await readList(list);
  const among = listing.board.inProgress().map(({ id }) => id);
  const found = await deadClaims(list, newClaimObserver(), { among, isClaimer: isWorkerName });
  const views = viewList(listing, {
    dead: new Set(found.map(({ taskId }) => taskId)),
    running: tasksInHand(readDaemons(project).filter(({ daemon }) => daemon.folder === list)),
    changedAtMs: (id) => ifThere(() => statSync(join(list, `${id}.json`)).mtimeMs),
  });
  return {
    ...listing,
    problems: listing.board.problems(),
    unseen: unseenIn(list),
    views: inOrder(views, listing.tasks),
  };
}

const unseenIn = (list: string): string[] => unseenAmong(ifThere(() => readdirSync(list)) ?? []);

/** Without this, no one would notice that these tasks never start. */
export const unseenAmong = (names: readonly string[]): string[] =>
  names.filter((name) => /^[^.].*\.json$/s.test(name) && taskIdOf(name) === undefined);
