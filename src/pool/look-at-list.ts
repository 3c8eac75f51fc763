// A look at the list of the pool: every task with its state.

import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { newObserver } from "../claude/claim-observer.ts";
import { deadClaims } from "../claude/dead-claims.ts";
import { taskIdOf } from "../claude/task-file.ts";
import { ifThere } from "../machine/files.ts";
import { seeDaemons } from "./daemon-files.ts";
import type { PoolProblem } from "./pool-problem.ts";
import { readList, type ReadList } from "./read-list.ts";
import { inOrder, viewBroken, viewTask, type TaskView } from "./task-view.ts";

export interface ListLook extends ReadList {
  /** In the order of selection. */
  readonly views: readonly TaskView[];
  /** What keeps the pool from starting anything. */
  readonly problems: readonly PoolProblem[];
  /** Names of files that look like tasks, and that Claude Code takes for none. */
  readonly unseen: readonly string[];
}

export async function lookAtList(list: string, project: string): Promise<ListLook> {
  const read = await readList(list);
  const { board, tasks, broken } = read;
  const found = await deadClaims(list, newObserver(), { isClaimer: isPoolWorker });
  const dead = new Set(found.map(({ taskId }) => taskId));
  const sinceMs = beginnings(list, project);
  const problems = board.problems();
  const views = [
    ...[...tasks].map(([id, { pool }]) =>
      viewTask(pool, {
        waitsFor: board.waitsFor(id),
        problem: problems.find(({ taskId }) => taskId === id),
        isOwnerDead: dead.has(id),
        sinceMs: sinceMs.get(id) ?? ifThere(() => statSync(join(list, `${id}.json`)).mtimeMs),
      }),
    ),
    ...[...broken].map(([id, problem]) => viewBroken(id, problem)),
  ];
  return {
    ...read,
    problems,
    unseen: unseenIn(list),
    views: inOrder(views, (id) => tasks.get(id)?.pool),
  };
}

/** Nobody ever starts these, and nothing says so. */
const unseenIn = (list: string): string[] =>
  (ifThere(() => readdirSync(list)) ?? []).filter(
    (name) => /^[^.].*\.json$/s.test(name) && taskIdOf(name) === undefined,
  );

/** Its name is given to nobody else: without a claim, it lost that with the power. */
export const isPoolWorker = (owner: string): boolean => /^auto-\d+$/.test(owner);

/** As the workers of this project say it; of others only the file's own time is known. */
const beginnings = (list: string, project: string): ReadonlyMap<string, number> =>
  new Map(
    seeDaemons(project)
      .filter(({ daemon }) => daemon.folder === list)
      .flatMap(({ workers }) =>
        workers.flatMap(({ task, since, life }) =>
          task === undefined || life === "dead" ? [] : [[task, Date.parse(since)] as const],
        ),
      ),
  );
