import { useState } from "react";
import { useSearchParams } from "wouter";
import { useActing } from "../acting/acting.tsx";
import { isSameList, useDerived, useEntity, useFeed, useHasSnapshot } from "../live/hooks.ts";
import type { PoolCard } from "../../protocol.ts";
import { Button } from "../parts/button.tsx";
import { Command } from "../parts/copy.tsx";
import { Icon } from "../parts/icon.tsx";
import { Id, Nothing, Page, Section } from "../parts/layout.tsx";
import { ALL_LABELS, groupTasks, labelsOf } from "./pool-groups.ts";
import { PoolGroup } from "./pool-tasks.tsx";
import { PoolDaemons, PoolProblems, PoolWorkers } from "./pool-workers.tsx";

export function PoolPage() {
  const hasSnapshot = useHasSnapshot();
  const lists = useDerived(({ pool }) => Object.keys(pool), isSameList);
  const { ask } = useActing();
  const isOffline = useFeed() !== "live";
  if (!hasSnapshot) return null;
  return (
    <Page
      title="Pool"
      aside={
        <Button look="main" disabled={isOffline} onClick={() => ask({ about: "add-task" })}>
          <Icon name="plus" className="size-3.5" />
          Add a task
        </Button>
      }
    >
      {lists.length === 0 ? (
        <EmptyPool />
      ) : (
        lists.map((list) => <PoolList key={list} list={list} />)
      )}
    </Page>
  );
}

function EmptyPool() {
  return (
    <div className="max-w-md space-y-3 text-sm text-soft">
      <p>The pool works through loose tasks with several agents at once. It is empty.</p>
      <Command>saga task add "Update the dependencies"</Command>
      <Command>saga auto --workers 3</Command>
    </div>
  );
}

function PoolList({ list }: { list: string }) {
  const pool = useEntity("pool", list);
  return pool && <PoolView pool={pool} />;
}

function PoolView({ pool }: { pool: PoolCard }) {
  const [label, setLabel] = useState(ALL_LABELS);
  const [parameters] = useSearchParams();
  const groups = groupTasks(pool.tasks, label);
  return (
    <>
      <div className="mb-6 flex flex-wrap items-center gap-x-4 gap-y-2">
        <Id>{pool.list}</Id>
        <PoolDaemons daemons={pool.daemons} />
      </div>
      <PoolProblems problems={pool.problems} />
      <PoolWorkers pool={pool} />
      <Section
        title="Tasks"
        count={pool.tasks.length}
        aside={<LabelFilter labels={labelsOf(pool.tasks)} value={label} onChange={setLabel} />}
      >
        {groups.length === 0 ? (
          <Nothing>No task has this label.</Nothing>
        ) : (
          <div className="grid grid-cols-1 items-start gap-4 lg:grid-cols-2 xl:grid-cols-3">
            {groups.map((group) => (
              <PoolGroup key={group.state} group={group} chosen={parameters.get("task")} />
            ))}
          </div>
        )}
      </Section>
    </>
  );
}

function LabelFilter({
  labels,
  value,
  onChange,
}: {
  labels: readonly string[];
  value: string;
  onChange: (label: string) => void;
}) {
  if (labels.length === 0) return null;
  return (
    <select
      aria-label="Label"
      value={value}
      onChange={(event) => onChange(event.target.value)}
      className="h-7 rounded-lg border border-edge bg-surface px-2 text-xs"
    >
      <option value={ALL_LABELS}>All labels</option>
      {labels.map((label) => (
        <option key={label}>{label}</option>
      ))}
    </select>
  );
}
