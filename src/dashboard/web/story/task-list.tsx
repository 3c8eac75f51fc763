import { useEffect, useRef } from "react";
import { useActions } from "../actions/action-provider.tsx";
import { useIsOffline } from "../live/hooks.ts";
import { Button } from "../parts/button.tsx";
import type { TaskDetail } from "../../protocol/details.ts";
import type { StoryCard, TaskCard } from "../../protocol/messages.ts";
import { Icon } from "../parts/icon.tsx";
import { Id, Panel } from "../parts/layout.tsx";
import { Markdown } from "../parts/text/markdown.tsx";
import { StateMark } from "../parts/state-mark.tsx";
import { isAtWork, TASK_LOOKS, taskStatesOf, type TaskLook } from "../words/states.ts";
import { Fact, Lines } from "./fact.tsx";
import type { TabProps } from "./story-page.tsx";

export function TaskList({ story, detail, chosen }: TabProps & { chosen: string | null }) {
  const states = taskStatesOf(story);
  const details = new Map(detail.tasks.map((task) => [task.id, task]));
  return (
    <Panel className="divide-y divide-line overflow-hidden">
      {/* From the card, which is live: details are fetched and arrive later. */}
      {story.tasks.map((task) => (
        <TaskRow
          key={task.id}
          task={task}
          detail={details.get(task.id)}
          state={states.get(task.id) ?? "waiting"}
          story={isEditable(story) ? story.id : undefined}
          isChosen={task.id === chosen}
        />
      ))}
    </Panel>
  );
}

function TaskRow({
  task,
  detail,
  state,
  story,
  isChosen,
}: {
  task: TaskCard;
  detail: TaskDetail | undefined;
  state: TaskLook;
  /** Undefined if its tasks cannot be changed now. */
  story: string | undefined;
  isChosen: boolean;
}) {
  const ref = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    if (!isChosen || ref.current === null) return;
    ref.current.open = true;
    ref.current.scrollIntoView({ block: "nearest" });
  }, [isChosen]);
  return (
    <details ref={ref} className="group">
      <summary
        data-row=""
        className="flex items-center gap-3.5 px-4 py-3 -outline-offset-2 hover:bg-hover md:px-5"
      >
        <StateMark look={TASK_LOOKS[state]} className="size-[1.1rem]" />
        <span className="min-w-0 flex-1">
          <span className="block text-[0.9333rem]">{task.subject}</span>
          <span className="flex flex-wrap gap-x-3">
            <Id>{task.id}</Id>
            {state === "waiting" && task.blockedBy.length > 0 && (
              <span className="text-xs text-faint">after {task.blockedBy.join(", ")}</span>
            )}
          </span>
        </span>
        <Icon
          name="chevron"
          className="size-3.5 text-faint transition-transform group-open:rotate-90"
        />
      </summary>
      {detail && (
        <div className="space-y-4 px-4 pb-5 pl-[3.1rem] md:pl-[3.4rem]">
          <Markdown text={detail.description} />
          <Fact word="Guidance" text={detail.guidance} />
          <Fact word="Done when" text={detail.doneWhen} />
          <Lines word="Checks" lines={detail.checks} />
          <Lines word="Allowed files" lines={detail.writeFiles} />
          {story !== undefined && task.status !== "completed" && (
            <TaskActions story={story} task={task.id} />
          )}
        </div>
      )}
    </details>
  );
}

/** Its worker would not read a change while it runs. */
const isEditable = (story: StoryCard): boolean =>
  !story.isLegacy && !story.isArchived && !isAtWork(story) && story.state !== "completed";

function TaskActions({ story, task }: { story: string; task: string }) {
  const { ask } = useActions();
  const isOffline = useIsOffline();
  const remove = (): void =>
    ask({
      about: "confirm",
      title: `Remove the task ${task}`,
      word: "Remove",
      text: "Moves its file to `.saga/removed`.",
      act: { act: "remove-task", story, task },
    });
  return (
    <div className="flex gap-2">
      <Button
        className="h-7 text-xs"
        disabled={isOffline}
        onClick={() => ask({ about: "change", kind: "task", id: `${story}/${task}` })}
      >
        Edit…
      </Button>
      <Button look="danger" className="h-7 text-xs" disabled={isOffline} onClick={remove}>
        Remove…
      </Button>
    </div>
  );
}
