// Rows for the pool's workers that have a task, beside the running stories.

import { Link } from "wouter";
import type { PoolCard, PoolWorkerCard } from "../../protocol/messages.ts";
import { Id } from "../parts/layout.tsx";
import { StateMark } from "../parts/state-mark.tsx";
import { Ago, Elapsed } from "../parts/time.tsx";
import { POOL_LOOKS } from "../words/states.ts";

export interface BusyWorker {
  readonly list: string;
  readonly worker: PoolWorkerCard;
  readonly task: string;
  readonly subject: string;
}

export const busyWorkers = (pool: Readonly<Record<string, PoolCard>>): BusyWorker[] =>
  Object.values(pool).flatMap(({ list, workers, tasks }) =>
    workers.flatMap((worker) => {
      const { task } = worker;
      if (task === undefined) return [];
      const subject = tasks.find(({ id }) => id === task)?.subject ?? `Task ${task}`;
      return [{ list, worker, task, subject }];
    }),
  );

export function PoolWorkerRow({ worker: { name, since, lastToolAt }, task, subject }: BusyWorker) {
  return (
    <article
      aria-label={subject}
      className="grid grid-cols-[auto_minmax(0,1fr)_auto] items-center gap-x-4 gap-y-2 px-4 py-3 md:px-5"
    >
      <StateMark look={POOL_LOOKS.working} className="size-[1.1rem]" />
      <div className="min-w-0">
        <div className="flex items-baseline gap-x-2.5">
          <Link
            href={`/pool?task=${encodeURIComponent(task)}`}
            data-row=""
            className="truncate font-medium hover:text-accent"
          >
            {subject}
          </Link>
          <Id className="hidden truncate lg:inline">pool task {task}</Id>
        </div>
        <p className="truncate text-xs leading-5 text-soft">
          {name}
          {lastToolAt !== undefined && (
            <>
              , last tool <Ago at={lastToolAt} />
            </>
          )}
        </p>
      </div>
      <p className="figure text-right text-xs text-soft">
        {since !== undefined && <Elapsed from={since} />}
      </p>
    </article>
  );
}
