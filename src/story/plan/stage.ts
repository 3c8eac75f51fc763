// Decides which files a plan creates or changes, and which problems it has. Pure: the store reads and writes.

import type { FieldPath } from "../../errors.ts";
import { checkEpic, checkStory, checkTasks, type SizeCeiling } from "../definition/validate.ts";
import { epicSchema } from "../definition/epic.ts";
import { errorAt, explain, type FieldProblem } from "../definition/explain-error.ts";
import { repeatsIn } from "../definition/fields.ts";
import { nextOrder } from "../definition/graph.ts";
import { meansTheSame, storyAfter, taskAfter, type FileFields } from "./fields-after-plan.ts";
import type { Plan, PlanStory } from "./plan.ts";
import { storySchema } from "../definition/story.ts";
import { taskSchema, type Task } from "../definition/task.ts";
import { joinEpics, checkMemberships, within, idOf, storyIdOf, childrenOf } from "./stage-join.ts";

interface CurrentStory {
  readonly fields: FileFields;
  readonly tasks: ReadonlyMap<string, FileFields>;
}

/** The files that the plan may touch, as they are now. */
export interface CurrentProject {
  readonly epics: ReadonlyMap<string, FileFields>;
  readonly stories: ReadonlyMap<string, CurrentStory>;
  readonly archived: ReadonlySet<string>;
}

export interface StagedFile {
  readonly kind: "epic" | "story" | "task";
  /** The epic or story whose folder it is in. */
  readonly owner: string;
  readonly id: string;
  readonly action: "create" | "update" | "keep";
  readonly fields: FileFields;
}

export interface Staging {
  readonly files: readonly StagedFile[];
  readonly problems: readonly FieldProblem[];
}

export interface StagingRules {
  /** Whether the plan may change existing files. Otherwise it only adds new ones. */
  readonly canUpdate: boolean;
  readonly ceiling: SizeCeiling;
}

export function stagePlan(current: CurrentProject, plan: Plan, rules: StagingRules): Staging {
  const stories = plan.stories.map((story, at) =>
    stageStory(story, ["stories", at], { current, plan, rules }),
  );
  const epics = stageEpics(current, plan, rules);
  const files = [...stories, epics].flatMap((staging) => staging.files);
  const membership = checkMemberships(current, plan, files);
  return {
    files,
    problems: [
      ...repeats(plan),
      ...[...stories, epics].flatMap((staging) => staging.problems),
      ...membership,
    ],
  };
}

/** Checks a story together with all of its tasks, as they would be after the plan. */
function stageStory(
  planned: PlanStory,
  path: FieldPath,
  { current, plan, rules }: { current: CurrentProject; plan: Plan; rules: StagingRules },
): Staging {
  const id = idOf(planned.fields);
  if (current.archived.has(id)) {
    const fix = "Archived stories cannot be changed: create a new story with another id.";
    return {
      files: [],
      problems: [errorAt([...path, "id"], `The story ${id} is in the archive.`, fix)],
    };
  }
  const before = current.stories.get(id);
  const fields = storyAfter(before?.fields, planned.fields, plan);
  const tasksAfter = new Map(before?.tasks);
  const problems: FieldProblem[] = [];
  const tasks: Task[] = [];
  const placeOf = (taskId: string): FieldPath => {
    const taskAt = planned.tasks.findIndex((task) => idOf(task) === taskId);
    return taskAt < 0 ? path : [...path, "tasks", taskAt];
  };

  const files = [stagedFile({ kind: "story", owner: id, id, fields }, before?.fields)];
  for (const task of planned.tasks) {
    const taskId = idOf(task);
    const taskBefore = before?.tasks.get(taskId);
    const after = withOrder(taskAfter(taskBefore, task, plan), taskBefore, tasksAfter);
    tasksAfter.set(taskId, after);
    files.push(stagedFile({ kind: "task", owner: id, id: taskId, fields: after }, taskBefore));
  }
  for (const [taskId, task] of tasksAfter) {
    const parsed = taskSchema.safeParse(task);
    if (parsed.success) tasks.push(parsed.data);
    else problems.push(...within(placeOf(taskId), explain(parsed.error, task)));
  }
  const story = storySchema.safeParse(fields);
  problems.push(
    ...within(path, story.success ? checkStory(story.data, tasks) : explain(story.error, fields)),
    ...checkTasks(tasks, rules.ceiling).flatMap((one) => within(placeOf(one.taskId), [one])),
    ...files.flatMap((file) =>
      refusedUpdate(file, rules, file.kind === "story" ? path : placeOf(file.id)),
    ),
  );
  return { files, problems };
}

/** A new task comes after the existing ones. An existing one keeps its place unless the plan gives it another. */
function withOrder(
  task: FileFields,
  before: FileFields | undefined,
  others: ReadonlyMap<string, FileFields>,
): FileFields {
  if (task["order"] !== undefined) return task;
  const order = before ? before["order"] : nextOrder(others.values());
  return order === undefined ? task : { ...task, order };
}

/** The epics that the plan defines, and the ones that its stories join. */
function stageEpics(current: CurrentProject, plan: Plan, rules: StagingRules): Staging {
  const known = new Set([
    ...current.stories.keys(),
    ...current.archived,
    ...plan.stories.map(storyIdOf),
  ]);
  const files: StagedFile[] = [];
  const { after, problems } = joinEpics(current, plan, rules);
  for (const [id, fields] of after) {
    const at = plan.epics.findIndex((epic) => idOf(epic) === id);
    const path: FieldPath = at < 0 ? [] : ["epics", at];
    const file = stagedFile({ kind: "epic", owner: id, id, fields }, current.epics.get(id));
    files.push(file);
    // A new story that joins an epic is an addition, though the epic's file changes.
    if (at >= 0) {
      problems.push(
        ...refusedUpdate(file, rules, path),
        ...droppedChildren(file, current, path),
        ...pullRequestNumber(plan.epics[at], path),
      );
    }
    const parsed = epicSchema.safeParse(fields);
    problems.push(
      ...within(
        path,
        parsed.success
          ? checkEpic(parsed.data, (story) => known.has(story))
          : explain(parsed.error, fields),
      ),
    );
  }
  return { files, problems };
}

/** Saga opens the pull request of an epic itself: a number in a plan would have no effect. */
const pullRequestNumber = (epic: FileFields = {}, path: FieldPath): FieldProblem[] =>
  epic["prNumber"] === undefined
    ? []
    : [
        errorAt(
          [...path, "prNumber"],
          `Epic ${idOf(epic)} names the pull request ${JSON.stringify(epic["prNumber"])}, but Saga opens its own.`,
          "Remove `prNumber`.",
        ),
      ];

/** A plan may not remove a story from the epic that the story names. */
function droppedChildren(
  file: StagedFile,
  current: CurrentProject,
  path: FieldPath,
): FieldProblem[] {
  const after = new Set(childrenOf(file.fields).map((child) => child.id));
  const before = childrenOf(current.epics.get(file.id) ?? {});
  return before
    .filter(({ id }) => !after.has(id) && current.stories.get(id)?.fields["epic"] === file.id)
    .map(({ id }) =>
      errorAt(
        [...path, "children"],
        `Story ${id} names the epic ${file.id}, which does not list it here.`,
        "List it, or change the story's epic too.",
      ),
    );
}

function stagedFile(file: Omit<StagedFile, "action">, before: FileFields | undefined): StagedFile {
  if (before === undefined) return { ...file, action: "create" };
  return meansTheSame(file.kind, before, file.fields)
    ? { ...file, action: "keep", fields: before }
    : { ...file, action: "update" };
}

const refusedUpdate = (file: StagedFile, rules: StagingRules, path: FieldPath): FieldProblem[] =>
  file.action !== "update" || rules.canUpdate
    ? []
    : [
        errorAt(
          path,
          `The ${file.kind} ${file.id} already exists with other content.`,
          `Change it: \`saga edit ${file.kind === "task" ? `${file.owner}/` : ""}${file.id}\`. With a plan: \`saga stage <plan.json> --update\`. Or choose another id.`,
        ),
      ];

function repeats(plan: Plan): FieldProblem[] {
  const twice = (ids: readonly string[], path: FieldPath): FieldProblem[] =>
    repeatsIn(ids).map((at) =>
      errorAt([...path, at, "id"], `The plan has ${ids[at]} twice.`, "Remove one of the two."),
    );
  return [
    ...twice(plan.epics.map(idOf), ["epics"]),
    ...twice(plan.stories.map(storyIdOf), ["stories"]),
    ...plan.stories.flatMap((story, at) => twice(story.tasks.map(idOf), ["stories", at, "tasks"])),
  ];
}
