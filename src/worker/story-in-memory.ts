// The story in the worker's hand: its definition and its tasks, held in memory while an agent that could change their
// files works beside them. What is held counts, whatever files and lists say. A task is completed if it was when the
// worker started, or if the worker observed its completion.

import type { RunRecord } from "../story/state/run-record.ts";
import type { Fields } from "../store/project/json-text.ts";
import type { StoryRecord } from "../store/project/read.ts";
import type { Store } from "../store/store.ts";
import { waitingFor } from "../story/definition/graph.ts";
import type { Status } from "../story/definition/status.ts";
import { storySchema, type Story } from "../story/definition/story.ts";
import { taskSchema, type Task } from "../story/definition/task.ts";
import { taskLink } from "../story/state/state.ts";
import { restoreDefinition } from "./guarded-definition.ts";

export interface HeldStory {
  /** The gate judges this, not the files. */
  readonly definition: () => Story;
  readonly task: (taskId: string) => Task | undefined;
  readonly status: (taskId: string) => Status | undefined;
  readonly tasks: () => readonly Task[];
  readonly remaining: () => readonly Task[];
  readonly isDone: () => boolean;
  /** Tasks that must be completed first and are not. */
  readonly waitsFor: (taskId: string) => readonly string[];

  /** Holds the status, writes it into the task's file, and notes it. It is held even if it cannot be written. */
  readonly setStatus: (
    taskId: string,
    to: Status,
    /** Called before the file is used. */
    prepareFile?: () => void,
  ) => Promise<void>;
  /** Saga allows the agent to complete the task. Claude writes the completion after that; it may be ended before. */
  readonly allowCompletion: (taskId: string) => void;
  readonly isCompletionAllowed: (taskId: string) => boolean;

  /** Writes fields of the story. */
  readonly update: (fields: Fields) => Promise<void>;
  /** Writes a new task after the others. */
  readonly addTask: (task: Fields) => Promise<void>;
  /** Holds the tasks that a split has written. Of the others the files do not count: an agent may have changed them. */
  readonly takeSplit: (written: StoryRecord, changed: ReadonlySet<string>) => void;
  /** Holds the story as people have changed it elsewhere, with the statuses that are known here. */
  readonly takeMerged: (merged: StoryRecord) => void;
  /** Restores the files, and returns what had to be restored, in words. */
  readonly restoreFiles: () => readonly string[];
}

/** Where a held story is written and noted. */
interface Keeping {
  readonly store: Pick<Store, "setTaskStatus" | "updateStory" | "addTask">;
  readonly record: Pick<RunRecord, "note">;
}

interface HeldTask {
  readonly task: Task;
  readonly fields: Fields;
}

export function holdStory(read: StoryRecord, { store, record }: Keeping): HeldStory {
  const { id: storyId, folder } = read;
  let { fields, story } = read;
  let held = heldTasks(read);
  const allowedCompletions = new Set<string>();

  const tasks = (): Task[] => [...held.values()].map(({ task }) => task);
  const remaining = (): Task[] => tasks().filter(({ status }) => status !== "completed");
  const status = (taskId: string): Status | undefined => held.get(taskId)?.task.status;
  return {
    definition: () => story,
    task: (taskId) => held.get(taskId)?.task,
    status,
    tasks,
    remaining,
    isDone: () => remaining().length === 0,
    waitsFor: (taskId) => waitingFor(tasks().map(taskLink)).get(taskId) ?? [],

    async setStatus(taskId, to, prepareFile) {
      const before = held.get(taskId);
      if (before) held.set(taskId, { ...before, task: { ...before.task, status: to } });
      try {
        prepareFile?.();
        await store.setTaskStatus(storyId, taskId, to);
      } finally {
        record.note({ type: "task.changed", task: taskId, to });
      }
    },
    allowCompletion: (taskId) => void allowedCompletions.add(taskId),
    isCompletionAllowed: (taskId) => allowedCompletions.has(taskId),

    async update(change) {
      await store.updateStory(storyId, (current) => ({ ...current, ...change }));
      fields = { ...fields, ...change };
      story = storySchema.parse(fields);
    },
    async addTask(task) {
      const written = await store.addTask(storyId, task);
      const added = taskSchema.parse(written);
      held.set(added.id, { task: added, fields: written });
      record.note({ type: "task.added", task: added.id, subject: added.subject });
    },
    takeSplit(written, changed) {
      // An allowed completion of the old task does not count for a new one with the same id.
      for (const id of changed) allowedCompletions.delete(id);
      const others = held;
      const inOrder = [...heldTasks(written)].flatMap(([id, task]) => {
        const current = changed.has(id) ? task : others.get(id);
        return current ? [[id, current] as const] : [];
      });
      held = new Map([...inOrder, ...[...others].filter(([id]) => !written.taskFields.has(id))]);
    },
    takeMerged(merged) {
      ({ fields, story } = merged);
      held = heldTasks({
        ...merged,
        tasks: merged.tasks.map((task) => ({ ...task, status: status(task.id) ?? task.status })),
      });
    },
    restoreFiles: () =>
      restoreDefinition(folder, {
        story: fields,
        tasks: new Map(
          [...held].map(([id, { task, fields: known }]) => [id, { ...known, status: task.status }]),
        ),
      }),
  };
}

const heldTasks = ({
  tasks,
  taskFields,
}: Pick<StoryRecord, "tasks" | "taskFields">): Map<string, HeldTask> =>
  new Map(tasks.map((task) => [task.id, { task, fields: taskFields.get(task.id) ?? {} }]));
