// What a plan changes in a project: a pure step between reading and one transaction. Work that is
// done, and what runs have written, is never taken over by a plan.

import { checkEpic, checkStory, checkTasks, type SizeCeiling } from "./check.ts";
import { epicSchema, type EpicInput } from "./epic.ts";
import { explain, type Finding, type Path } from "./explain.ts";
import { repeatsIn } from "./fields.ts";
import { possibleEpics } from "./names.ts";
import type { Plan, PlanStory } from "./plan.ts";
import { RUN_FIELDS, storySchema } from "./story.ts";
import { taskSchema, type Task } from "./task.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Everything the plan may touch, as it stands in the files. */
export interface CurrentProject {
  readonly epics: ReadonlyMap<string, Fields>;
  readonly stories: ReadonlyMap<string, { fields: Fields; tasks: ReadonlyMap<string, Fields> }>;
  readonly archived: ReadonlySet<string>;
}

export interface StagedFile {
  readonly kind: "epic" | "story" | "task";
  /** The epic or story whose folder it is in. */
  readonly owner: string;
  readonly id: string;
  readonly action: "create" | "update" | "keep";
  readonly fields: Fields;
}

export interface Staging {
  readonly files: readonly StagedFile[];
  readonly findings: readonly Finding[];
}

export interface StagingRules {
  /** Whether what exists may be changed; otherwise a plan only adds. */
  readonly canUpdate: boolean;
  readonly ceiling: SizeCeiling;
}

export function stagePlan(current: CurrentProject, plan: Plan, rules: StagingRules): Staging {
  const found: Finding[] = [...repeats(plan)];
  const files: StagedFile[] = [];

  const place = (
    file: Omit<StagedFile, "action">,
    before: Fields | undefined,
    path: Path,
  ): void => {
    const action =
      before === undefined ? "create" : isSame(before, file.fields) ? "keep" : "update";
    files.push({ ...file, action });
    if (action === "update" && !rules.canUpdate) {
      found.push(
        error(path, `The ${file.kind} ${file.id} exists already, and differs from this.`, {
          fix: "Give it another id, or run `saga stage --update` to change it.",
        }),
      );
    }
  };

  plan.stories.forEach((story, at) => {
    const id = String(story.fields["id"]);
    const before = current.stories.get(id);
    if (current.archived.has(id)) {
      found.push(
        error(["stories", at, "id"], `The story ${id} is in the archive.`, {
          fix: "Give it another id: what is archived is finished.",
        }),
      );
    }
    place(
      { kind: "story", owner: id, id, fields: storyFields(story, before?.fields, plan.isPartial) },
      before?.fields,
      ["stories", at],
    );
    story.tasks.forEach((task, taskAt) => {
      const taskId = String(task["id"]);
      const taskBefore = before?.tasks.get(taskId);
      const fields = taskFields(task, taskBefore, plan.isPartial);
      place({ kind: "task", owner: id, id: taskId, fields }, taskBefore, [
        "stories",
        at,
        "tasks",
        taskAt,
      ]);
    });
    found.push(...checkStaged(id, before?.tasks, files, at, story, rules.ceiling));
  });

  const known = new Set([...current.stories.keys(), ...current.archived, ...idsOf(plan)]);
  for (const [id, fields] of epicsAfter(current, plan)) {
    const before = current.epics.get(id);
    const at = plan.epics.findIndex((epic) => epic["id"] === id);
    const path: Path = at < 0 ? [] : ["epics", at];
    // Adding a new story to an epic that the plan does not define itself is no change of its text.
    if (before && at < 0) files.push({ kind: "epic", owner: id, id, action: "update", fields });
    else place({ kind: "epic", owner: id, id, fields }, before, path);
    const parsed = epicSchema.safeParse(fields);
    found.push(
      ...inPlan(
        path,
        parsed.success
          ? checkEpic(parsed.data, (story) => known.has(story))
          : explain(parsed.error, fields),
      ),
    );
  }
  return { files, findings: found };
}

const idsOf = (plan: Plan): string[] => plan.stories.map((story) => String(story.fields["id"]));

function repeats(plan: Plan): Finding[] {
  const twice = (ids: readonly string[], path: Path): Finding[] =>
    repeatsIn(ids).map((at) =>
      error([...path, at, "id"], `${ids[at]} stands in the plan twice.`, { fix: "Keep one." }),
    );
  return [
    ...twice(
      plan.epics.map((epic) => String(epic["id"])),
      ["epics"],
    ),
    ...twice(idsOf(plan), ["stories"]),
    ...plan.stories.flatMap((story, at) =>
      twice(
        story.tasks.map((task) => String(task["id"])),
        ["stories", at, "tasks"],
      ),
    ),
  ];
}

function storyFields(story: PlanStory, before: Fields | undefined, isPartial: boolean): Fields {
  const { id, title, ...rest } = story.fields;
  if (before === undefined) {
    // A payload of the lightweight pipeline may leave the text to its tasks.
    const description =
      isPartial && rest["description"] === undefined ? { description: title } : {};
    return { id, title, ...description, ...rest, status: rest["status"] ?? "pending" };
  }
  const kept = Object.fromEntries(
    RUN_FIELDS.flatMap((key) => (key in before ? [[key, before[key]]] : [])),
  );
  return { ...(isPartial ? before : {}), ...story.fields, ...kept };
}

function taskFields(task: Fields, before: Fields | undefined, isPartial: boolean): Fields {
  const base = before && isPartial ? before : {};
  const status = before?.["status"] ?? task["status"] ?? "pending";
  return { ...base, ...task, status, blockedBy: task["blockedBy"] ?? base["blockedBy"] ?? [] };
}

/** The story as it would be afterwards, judged whole: its own file and all its tasks together. */
function checkStaged(
  id: string,
  tasksBefore: ReadonlyMap<string, Fields> | undefined,
  files: readonly StagedFile[],
  at: number,
  story: PlanStory,
  ceiling: SizeCeiling,
): Finding[] {
  const own = files.filter((file) => file.owner === id && file.kind !== "epic");
  const fields = own.find((file) => file.kind === "story")?.fields ?? {};
  const parsed = storySchema.safeParse(fields);
  const after = new Map(tasksBefore);
  for (const file of own) if (file.kind === "task") after.set(file.id, file.fields);
  const tasks: Task[] = [];
  for (const task of after.values()) {
    const one = taskSchema.safeParse(task);
    if (one.success) tasks.push(one.data);
  }
  const placeOf = (taskId: string): Path => {
    const taskAt = story.tasks.findIndex((task) => task["id"] === taskId);
    return taskAt < 0 ? ["stories", at] : ["stories", at, "tasks", taskAt];
  };
  return [
    ...inPlan(
      ["stories", at],
      parsed.success ? checkStory(parsed.data, tasks) : explain(parsed.error, fields),
    ),
    ...checkTasks(tasks, ceiling).flatMap((finding) => inPlan(placeOf(finding.taskId), [finding])),
  ];
}

/** The epics that the plan defines, and those that its stories join, as they would be afterwards. */
function epicsAfter(current: CurrentProject, plan: Plan): Map<string, Fields> {
  const after = new Map<string, Fields>();
  for (const epic of plan.epics) {
    const id = String(epic["id"]);
    const before = current.epics.get(id);
    const { title, ...rest } = epic;
    after.set(id, {
      ...(before && plan.isPartial ? before : {}),
      id,
      ...(title !== undefined && { title }),
      ...(!before && plan.isPartial && { description: title }),
      ...rest,
      ...(before?.["status"] !== undefined && { status: before["status"] }),
      children: rest["children"] ?? before?.["children"] ?? [],
    });
  }
  const epicOf = new Map(
    [...current.epics, ...after].flatMap(([id, epic]) =>
      childrenOf(epic).map((child) => [child.id, id] as const),
    ),
  );
  for (const story of plan.stories) {
    const id = String(story.fields["id"]);
    const epicId =
      (story.fields["epic"] as string | undefined) ??
      epicOf.get(id) ??
      possibleEpics(id).find((epic) => after.has(epic) || current.epics.has(epic));
    const epic =
      epicId === undefined ? undefined : (after.get(epicId) ?? current.epics.get(epicId));
    if (epicId === undefined || epic === undefined) continue;
    const children = childrenOf(epic);
    const child = children.find((one) => one.id === id);
    if (child && (story.blockedBy === undefined || isSame(child.blockedBy, story.blockedBy)))
      continue;
    const joined = { ...child, id, blockedBy: [...(story.blockedBy ?? [])] };
    after.set(epicId, {
      ...epic,
      children: child
        ? children.map((one) => (one.id === id ? joined : one))
        : [...children, joined],
    });
  }
  return after;
}

const childrenOf = (epic: Fields): EpicInput["children"] =>
  (epic["children"] as EpicInput["children"] | undefined) ?? [];

const inPlan = (path: Path, findings: readonly Finding[]): Finding[] =>
  findings.map((finding) => ({ ...finding, path: [...path, ...finding.path] }));

const error = (path: Path, message: string, { fix }: { fix: string }): Finding => ({
  path,
  severity: "error",
  message,
  fix,
});

/** Equal as JSON, whatever the order of the keys. */
function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || !one || !other) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const keys = Object.keys(one);
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => key in other && isSame((one as Fields)[key], (other as Fields)[key]))
  );
}
