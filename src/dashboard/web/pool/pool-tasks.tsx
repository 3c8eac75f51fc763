import { useEffect, useRef } from "react";
import { useActions } from "../actions/action-provider.tsx";
import { canRelease, releaseLabel, releaseTask } from "../actions/questions.ts";
import type { PoolTaskCard } from "../../protocol/messages.ts";
import { Button } from "../parts/button.tsx";
import { Id, Panel, Tag } from "../parts/layout.tsx";
import { StateMark } from "../parts/state-mark.tsx";
import { count } from "../words/format.ts";
import { POOL_LOOKS } from "../words/states.ts";
import type { TaskGroup } from "./pool-groups.ts";

export function PoolGroup({ group, chosen }: { group: TaskGroup; chosen: string | null }) {
  const look = POOL_LOOKS[group.state];
  return (
    <section aria-label={look.word}>
      <h3 className="mb-2 flex items-center gap-2 text-sm font-medium">
        <StateMark look={look} />
        <span aria-hidden="true">{look.word}</span>
        <span className="figure text-xs text-faint">{group.tasks.length}</span>
      </h3>
      <Panel className="divide-y divide-line">
        {group.tasks.map((task) => (
          <PoolTask key={task.id} task={task} isChosen={task.id === chosen} />
        ))}
      </Panel>
    </section>
  );
}

function PoolTask({ task, isChosen }: { task: PoolTaskCard; isChosen: boolean }) {
  const ref = useRef<HTMLElement>(null);
  useEffect(() => {
    if (!isChosen) return;
    ref.current?.focus();
    ref.current?.scrollIntoView({ block: "center" });
  }, [isChosen]);
  return (
    <article
      ref={ref}
      tabIndex={-1}
      data-row=""
      className="px-4 py-3 -outline-offset-2 outline-accent focus:outline-2"
    >
      <p className="text-sm font-medium">{task.subject}</p>
      <p className="mt-1 flex flex-wrap items-center gap-x-2.5 gap-y-1 text-xs text-faint">
        <Id>{task.id}</Id>
        <span className="figure" title={`Priority ${task.priority}`}>
          P{task.priority}
        </span>
        {task.label !== undefined && <Tag>{task.label}</Tag>}
        {task.owner !== undefined && <span>{task.owner}</span>}
        {task.attempts > 1 && <span>{count(task.attempts, "attempt")}</span>}
        {task.state === "waiting" && <span>waits for {task.blockedBy.join(", ")}</span>}
      </p>
      {task.why !== undefined && <p className="mt-1.5 text-sm text-soft">{task.why}</p>}
      <ReleaseButton task={task} />
    </article>
  );
}

function ReleaseButton({ task }: { task: PoolTaskCard }) {
  const { ask } = useActions();
  if (!canRelease(task)) return null;
  return (
    <Button
      look={task.state === "needs-you" ? "plain" : "quiet"}
      className={`mt-2 h-7 text-xs ${task.state === "needs-you" ? "" : "-ml-3"}`}
      onClick={() => ask(releaseTask(task))}
    >
      {releaseLabel(task)}
    </Button>
  );
}
