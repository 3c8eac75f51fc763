// Which tasks of a pool's list go to the fleet, and the story that each of them becomes: other machines read what they work
// on from git. Pure.

import { SagaError } from "../../../errors.ts";
import type { EpicInput } from "../../../story/definition/epic.ts";
import { storyIdProblem, suggestId } from "../../../story/definition/names.ts";
import type { StoryInput } from "../../../story/definition/story.ts";
import type { TaskInput } from "../../../story/definition/task.ts";
import type { TaskEntry } from "../../../tasks/listing.ts";
import { oneLine } from "../../../text/one-line.ts";
import type { TaskContext } from "../../../pool/list/context-file.ts";
import { isOnFleet } from "./fleet-owner.ts";

/** A story with one task, and what comes first. */
export interface PlannedTask {
  readonly story: StoryInput;
  readonly task: Pick<TaskInput, "id" | "subject" | "description">;
  readonly blockedBy: readonly string[];
  /** An earlier call gave it to the fleet. */
  readonly isShared: boolean;
}

export interface TaskPlan {
  readonly epicId: string;
  /** By task of the list, in its order. */
  readonly stories: ReadonlyMap<string, PlannedTask>;
  /** Open tasks that stay here, with the reason. */
  readonly left: ReadonlyMap<string, string>;
}

export interface ListToPlan {
  readonly listId: string;
  readonly tasks: ReadonlyMap<string, TaskEntry>;
  readonly blockers: (taskId: string) => readonly string[];
  /** The pool's checks and the task's. */
  readonly checksOf: (task: TaskEntry["pool"]) => readonly string[];
  readonly contextOf: (label: string | undefined) => TaskContext;
}

export function planTasks(list: ListToPlan): TaskPlan {
  const epicId = suggestId("epic", list.listId.replaceAll("--", "-"));
  if (epicId === undefined) throw noName(list.listId);
  const left = new Map<string, string>();
  const open = [...list.tasks.values()].filter(({ pool }) => pool.status !== "completed");
  for (const { pool } of open) {
    const why = whyLeft(pool);
    if (why !== undefined) left.set(pool.id, why);
  }
  // What waits for a task that stays here waits here, too.
  const waitsFor = (id: string): string | undefined =>
    list.blockers(id).find((blocker) => left.has(blocker));
  for (let before = -1; before !== left.size;) {
    before = left.size;
    for (const { pool } of open) {
      const blocker = left.has(pool.id) ? undefined : waitsFor(pool.id);
      if (blocker !== undefined) left.set(pool.id, `waits for ${blocker}`);
    }
  }
  const going = open.filter(({ pool }) => !left.has(pool.id));
  const names = new Map(going.map(({ pool }) => [pool.id, taskNameOf(pool.id)]));
  if (new Set(names.values()).size !== names.size) throw noName(list.listId);
  const storyOf = (name: string): string => requireStory(`${epicId}--${name}`);
  const stories = going.map(({ task, pool }): readonly [string, PlannedTask] => {
    const name = names.get(pool.id) ?? "";
    const { prologue, epilogue } = list.contextOf(pool.label);
    const parts = [prologue, task.description || task.subject, answersOf(pool), epilogue];
    const description = parts.filter((part) => part.trim() !== "").join("\n\n");
    const title = oneLine(task.subject).slice(0, 200) || name;
    const checks = [...list.checksOf(pool)];
    const story: StoryInput = {
      id: storyOf(name),
      title,
      description,
      epic: epicId,
      status: "pending",
      priority: pool.priority,
      ...(pool.label !== undefined && { labels: [pool.label] }),
      ...(checks.length > 0 && { checks }),
    };
    // Completed blockers are merged.
    const blockedBy = list.blockers(pool.id).flatMap((id) => names.get(id) ?? []);
    return [
      pool.id,
      {
        story,
        task: { id: name, subject: title, description },
        blockedBy: blockedBy.map(storyOf),
        isShared: isOnFleet(pool.owner),
      },
    ];
  });
  return { epicId, stories: new Map(stories), left };
}

function whyLeft({ held, owner, status }: TaskEntry["pool"]): string | undefined {
  if (held) return "needs you";
  if (isOnFleet(owner)) return undefined;
  if (owner !== undefined || status === "in_progress") return `${owner ?? "someone"} works on it`;
  return undefined;
}

const answersOf = ({ answers }: TaskEntry["pool"]): string =>
  answers.map(({ question, answer }) => `Question: ${question}\nAnswer: ${answer}`).join("\n\n");

function taskNameOf(taskId: string): string {
  const name = suggestId("task", `task-${taskId}`);
  if (name === undefined) throw noName(taskId);
  return name;
}

function requireStory(id: string): string {
  if (storyIdProblem(id) !== undefined) throw noName(id);
  return id;
}

const noName = (id: string): SagaError =>
  new SagaError("bad-id", `${JSON.stringify(id)} cannot become the name of a story.`, {
    hint: "Use a short name of lower-case letters, digits and dashes for the list and its tasks.",
  });

/**
 * The first task whose story exists already, for other work: a list that was made again counts its tasks from 1. A
 * task that a person took back from the fleet is the same work, as long as it is not done.
 */
export const findOtherWork = (
  { stories }: Pick<TaskPlan, "stories">,
  existing: (storyId: string) => ExistingStory | undefined,
): { readonly taskId: string; readonly storyId: string } | undefined => {
  for (const [taskId, { story, isShared }] of stories) {
    const known = isShared ? undefined : existing(story.id);
    const isSame = known?.isCompleted === false && known.title === story.title;
    if (known && !isSame) return { taskId, storyId: story.id };
  }
  return undefined;
};

export interface ExistingStory {
  readonly title: string | undefined;
  readonly isCompleted: boolean;
}

/** The epic with the stories added that it lacks. Its other fields stay. */
export function withStories(
  known: EpicInput | undefined,
  { epicId, stories }: Pick<TaskPlan, "epicId" | "stories">,
  listId: string,
): EpicInput {
  const epic: EpicInput = known ?? {
    id: epicId,
    title: `Tasks of ${listId}`.slice(0, 200),
    description: "Loose tasks that the machines of the fleet share.",
    children: [],
    // Each task is merged by itself, and more may come.
    delivery: "story-pr",
    persistent: true,
  };
  const has = new Set(epic.children.map(({ id }) => id));
  const added = [...stories.values()].filter(({ story }) => !has.has(story.id));
  return {
    ...epic,
    children: [
      ...epic.children,
      ...added.map(({ story, blockedBy }) => ({ id: story.id, blockedBy: [...blockedBy] })),
    ],
  };
}
