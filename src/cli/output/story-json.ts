// A story in `--json` output. Fields are only added, never removed.

import { attentionTo } from "../../store/views/attention.ts";
import type { StoryView } from "../../store/views/overview.ts";
import type { StoryRecord } from "../../store/project/read.ts";
import { taskStates } from "../../story/state/state.ts";

/** `weakened`: as `weakenedIn` reads it. Without it a changed definition would show as `review`. */
export function storyJson(view: StoryView, weakened: readonly string[] | undefined) {
  const attention = attentionTo(view, weakened);
  const { record, state, epicId, waitsFor, openBlockers, lease, lastRun } = view;
  const { story, tasks, source } = record;
  return {
    id: story.id,
    title: story.title,
    state,
    kind: attention?.kind,
    next: attention?.next,
    status: story.status,
    epic: epicId,
    priority: story.priority,
    labels: story.labels,
    tasks: {
      total: tasks.length,
      completed: tasks.filter((task) => task.status === "completed").length,
    },
    waitsFor,
    openBlockers: openBlockers.map(({ blocker, title, at }) => ({ id: blocker, title, at })),
    branch: story.branch,
    pr: story.pr,
    copy: source,
    pushError: lastRun.pushError,
    worker:
      lease?.life === "alive" ? { owner: lease.record.owner, pid: lease.record.pid } : undefined,
  };
}

export function storyDetailJson(
  view: StoryView<StoryRecord>,
  weakened: readonly string[] | undefined,
) {
  const { record, state } = view;
  const states = taskStates(record.tasks, state);
  return {
    ...storyJson(view, weakened),
    folder: record.folder,
    story: record.story,
    taskList: record.tasks.map((task) => ({ ...task, state: states.get(task.id) })),
  };
}
