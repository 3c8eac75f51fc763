import { useState } from "react";
import { useSearchParams } from "wouter";
import { useActions } from "../actions/action-provider.tsx";
import { isSameList, useDerived, useEntity, useIsOffline, useHasSnapshot } from "../live/hooks.ts";
import type { PoolCard } from "../../protocol/messages.ts";
import { Button } from "../parts/button.tsx";
import { Select } from "../parts/field.tsx";
import { Icon } from "../parts/icon.tsx";
import { Id, Empty, Page, Section } from "../parts/layout.tsx";
import { hasDaemonEnded } from "../words/states.ts";
import { EmptyPool } from "./pool-empty.tsx";
import { ALL_LABELS, groupTasks, labelsOf } from "./pool-groups.ts";
import { PoolGroup } from "./pool-tasks.tsx";
import { PoolDaemons, PoolProblems, PoolWorkers } from "./pool-workers.tsx";

export function PoolPage() {
  const hasSnapshot = useHasSnapshot();
  const lists = useDerived(({ pool }) => Object.keys(pool), isSameList);
  if (!hasSnapshot) return null;
  return (
    <Page title="Pool" aside={lists.length > 0 && <PoolActions />}>
      {lists.length === 0 ? (
        <EmptyPool />
      ) : (
        lists.map((list) => <PoolList key={list} list={list} />)
      )}
    </Page>
  );
}

function PoolActions() {
  const { ask } = useActions();
  const isOffline = useIsOffline();
  const isRunning = useDerived(({ pool }) =>
    Object.values(pool).some(({ daemons }) => daemons.some((daemon) => !hasDaemonEnded(daemon))),
  );
  return (
    <div className="flex gap-2">
      {!isRunning && (
        <Button disabled={isOffline} onClick={() => ask({ about: "start-pool" })}>
          Start the pool…
        </Button>
      )}
      <Button look="main" disabled={isOffline} onClick={() => ask({ about: "add-task" })}>
        <Icon name="plus" className="size-3.5" />
        Add a task
      </Button>
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
          <Empty>{pool.tasks.length === 0 ? "No tasks yet." : "No task has this label."}</Empty>
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
    <Select
      label="Label"
      value={value}
      options={[
        { value: ALL_LABELS, word: "All labels" },
        ...labels.map((label) => ({ value: label, word: label })),
      ]}
      onChange={onChange}
    />
  );
}
