import { useActions } from "../actions/action-provider.tsx";
import { stopPool } from "../actions/questions.ts";
import { ActButton } from "../actions/act-button.tsx";
import type { PoolCard, PoolDaemon, PoolWorkerCard } from "../../protocol/messages.ts";
import { Button } from "../parts/button.tsx";
import { Panel, Section } from "../parts/layout.tsx";
import { StateMark } from "../parts/state-mark.tsx";
import { Ago, Elapsed } from "../parts/time.tsx";
import { daemonLook, hasDaemonEnded, POOL_LOOKS } from "../words/states.ts";

export function PoolDaemons({ daemons }: { daemons: readonly PoolDaemon[] }) {
  const { ask } = useActions();
  if (daemons.length === 0) return <span className="text-sm text-faint">No pool is running.</span>;
  return daemons.map((daemon) => (
    <span key={daemon.instance} className="flex flex-wrap items-center gap-2 text-sm">
      <StateMark look={daemonLook(daemon.state)} className="size-3.5" />
      <span className="font-mono text-xs">{daemon.instance}</span>
      <span className="text-faint">
        {daemon.state}, started <Ago at={daemon.startedAt} />
      </span>
      {!hasDaemonEnded(daemon) && (
        <>
          {daemon.state !== "draining" && (
            <ActButton look="quiet" act={{ act: "pool-drain", instance: daemon.instance }}>
              Drain
            </ActButton>
          )}
          <Button look="quiet" onClick={() => ask(stopPool(daemon.instance))}>
            Stop…
          </Button>
        </>
      )}
    </span>
  ));
}

export function PoolWorkers({ pool }: { pool: PoolCard }) {
  if (pool.workers.length === 0) return null;
  return (
    <Section title="Workers" count={pool.workers.length}>
      <ul className="grid grid-cols-1 gap-3 sm:grid-cols-2 xl:grid-cols-4">
        {pool.workers.map((worker) => (
          <li key={`${worker.instance} ${worker.name}`}>
            <WorkerCard worker={worker} subject={subjectOf(pool, worker)} />
          </li>
        ))}
      </ul>
    </Section>
  );
}

const subjectOf = ({ tasks }: PoolCard, { task }: PoolWorkerCard): string | undefined =>
  tasks.find(({ id }) => id === task)?.subject;

function WorkerCard({ worker, subject }: { worker: PoolWorkerCard; subject: string | undefined }) {
  const isBusy = worker.task !== undefined;
  return (
    <Panel className="h-full px-4 py-3">
      <p className="flex items-center gap-2 text-sm font-medium">
        <StateMark look={isBusy ? POOL_LOOKS.working : POOL_LOOKS.ready} />
        <span className="flex-1">{worker.name}</span>
        {worker.since !== undefined && (
          <span className="text-xs font-normal text-faint">
            <Elapsed from={worker.since} />
          </span>
        )}
      </p>
      <p className="mt-1 line-clamp-2 text-sm text-soft">{subject ?? worker.state}</p>
      {worker.lastToolAt !== undefined && (
        <p className="mt-1 text-xs text-faint">
          last tool <Ago at={worker.lastToolAt} />
        </p>
      )}
    </Panel>
  );
}

export function PoolProblems({ problems }: { problems: readonly string[] }) {
  if (problems.length === 0) return null;
  return (
    <ul className="mb-6 space-y-1 rounded-xl bg-bad-wash px-4 py-3 text-sm text-bad">
      {problems.map((problem) => (
        <li key={problem}>{problem}</li>
      ))}
    </ul>
  );
}
