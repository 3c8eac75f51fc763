// Rules about several files together: references, cycles, sizes, and whether stories and epics agree.

import { findCycles, missingReferences } from "./graph.ts";
import type { Epic } from "./epic.ts";
import type { FieldPath } from "../../errors.ts";
import { errorAt, type FieldProblem } from "./explain-error.ts";
import { repeatsIn } from "./fields.ts";
import { epicBranch } from "./names.ts";
import { epicLinks, taskLink } from "../state/state.ts";
import type { Story } from "./story.ts";
import type { Task } from "./task.ts";

/** The most that one task may declare to change. */
export interface SizeCeiling {
  readonly maxFiles: number;
  readonly maxLines: number;
}
export const DEFAULT_CEILING: SizeCeiling = { maxFiles: 5, maxLines: 200 };

/** A problem in the file of one task. */
export interface TaskProblem extends FieldProblem {
  readonly taskId: string;
}

export function checkTasks(tasks: readonly Task[], ceiling: SizeCeiling): TaskProblem[] {
  const links = tasks.map(taskLink);
  return [
    ...tasks.flatMap((task) =>
      repeatsIn(task.blockedBy).map((at) => ({
        taskId: task.id,
        ...listedTwice(["blockedBy", at], `Task ${task.id}`, task.blockedBy[at]),
      })),
    ),
    ...missingReferences(links).map(({ id, missing }) => ({
      taskId: id,
      path: ["blockedBy", placeIn(tasks, id, missing)],
      severity: "error" as const,
      message: `Task ${id} waits for ${missing}, which is not a task of this story.`,
      fix: `Remove ${missing} from its blockedBy, or add that task.`,
    })),
    ...findCycles(links).map((cycle) => ({
      taskId: cycle[0] ?? "",
      path: ["blockedBy"],
      severity: "error" as const,
      message: `These tasks wait for each other: ${roundTrip(cycle)}.`,
      fix: "Remove one of these blockedBy entries.",
    })),
    ...tasks.flatMap((task) => checkSize(task, ceiling)),
  ];
}

function checkSize(task: Task, ceiling: SizeCeiling): TaskProblem[] {
  // Splitting a completed task has no use.
  if (task.status === "completed") return [];
  const tooLarge = (path: string, declared: number, most: number, unit: string): TaskProblem[] =>
    declared <= most
      ? []
      : [
          {
            taskId: task.id,
            path: [path],
            severity: "error",
            message: `Task ${task.id} declares ${declared} ${unit}; at most ${most} are allowed.`,
            fix: "Split it into smaller tasks: they are faster and lose less when they fail.",
          },
        ];
  return [
    ...tooLarge("writeFiles", task.writeFiles?.length ?? 0, ceiling.maxFiles, "files to write"),
    ...tooLarge("estimatedLines", task.estimatedLines ?? 0, ceiling.maxLines, "changed lines"),
  ];
}

export function checkStory(story: Story, tasks: readonly Task[]): FieldProblem[] {
  const open = tasks.filter((task) => task.status !== "completed").length;
  if (story.status !== "completed" || open === 0) return [];
  return [
    {
      path: ["status"],
      severity: "error",
      message: `Story ${story.id} is completed, but ${open} of its ${tasks.length} tasks are not.`,
      fix: "Set its status back, or complete the tasks.",
    },
  ];
}

/** Whether a story and its epic agree. `epicsOf` are the epics that list it. */
export function checkMembership(
  story: Story,
  epicsOf: readonly string[],
  isEpic: (id: string) => boolean,
): FieldProblem[] {
  const problems: FieldProblem[] = [];
  if (story.epic !== undefined && !isEpic(story.epic)) {
    problems.push({
      path: ["epic"],
      severity: "error",
      message: `Story ${story.id} belongs to the epic ${story.epic}, which does not exist.`,
      fix: `Create it (\`saga new epic ${story.epic} -d "…"\`), or correct the name.`,
    });
  } else if (story.epic !== undefined && !epicsOf.includes(story.epic)) {
    problems.push({
      path: ["epic"],
      severity: "error",
      message: `Story ${story.id} belongs to the epic ${story.epic}, which does not list it.`,
      fix: `Add { "id": "${story.id}", "blockedBy": [] } to the children of ${story.epic}.`,
    });
  }
  if (epicsOf.length > 1) {
    problems.push({
      path: ["id"],
      severity: "error",
      message: `Story ${story.id} is listed by more than one epic: ${epicsOf.join(", ")}.`,
      fix: "Keep it in one of them.",
    });
  }
  return problems;
}

export function checkEpic(epic: Epic, isStory: (id: string) => boolean): FieldProblem[] {
  const links = epicLinks(epic, () => false);
  const place = (id: string): number => epic.children.findIndex((child) => child.id === id);
  const ids = epic.children.map((child) => child.id);
  return [
    ...wrongBranch(epic),
    ...repeatsIn(ids).map((at) => listedTwice(["children", at, "id"], `Epic ${epic.id}`, ids[at])),
    ...epic.children.flatMap((child, at) =>
      repeatsIn(child.blockedBy).map((twice) =>
        listedTwice(
          ["children", at, "blockedBy", twice],
          `Story ${child.id}`,
          child.blockedBy[twice],
        ),
      ),
    ),
    ...epic.children
      .filter((child) => !isStory(child.id))
      .map((child) => ({
        path: ["children", place(child.id), "id"],
        severity: "error" as const,
        message: `Epic ${epic.id} lists the story ${child.id}, which does not exist.`,
        fix: `Create it (\`saga new story ${child.id} --epic ${epic.id} -d "…"\`), or remove it here.`,
      })),
    ...missingReferences(links).map(({ id, missing }) => ({
      path: ["children", place(id), "blockedBy", placeIn(epic.children, id, missing)],
      severity: "error" as const,
      message: `Story ${id} waits for ${missing}, which is not a story of the epic ${epic.id}.`,
      fix: `Remove ${missing} from its blockedBy, or add that story to the epic.`,
    })),
    ...findCycles(links).map((cycle) => ({
      path: ["children", place(cycle[0] ?? ""), "blockedBy"],
      severity: "error" as const,
      message: `These stories wait for each other: ${roundTrip(cycle)}.`,
      fix: "Remove one of these blockedBy entries.",
    })),
  ];
}

/** Saga finds an epic's branch by the epic's id. */
const wrongBranch = ({ id, branch }: Epic): FieldProblem[] =>
  branch === undefined || branch === epicBranch(id)
    ? []
    : [
        errorAt(
          ["branch"],
          `Epic ${id} names the branch ${branch}, but its branch is always \`${epicBranch(id)}\`.`,
          `Write \`${epicBranch(id)}\`, or leave \`branch\` out.`,
        ),
      ];

const listedTwice = (path: FieldPath, lister: string, id: string | undefined): FieldProblem =>
  errorAt(path, `${lister} lists ${id} twice.`, "Remove one of the two.");

const roundTrip = (cycle: readonly string[]): string => [...cycle, cycle[0]].join(" → ");

const placeIn = (
  items: readonly { id: string; blockedBy: readonly string[] }[],
  id: string,
  blocker: string,
): number => items.find((item) => item.id === id)?.blockedBy.indexOf(blocker) ?? 0;
