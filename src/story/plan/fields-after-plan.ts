// The fields of a file after a plan was applied. A plan changes neither fields that runs write nor unknown fields.

import { epicSchema } from "../definition/epic.ts";
import { storySchema } from "../definition/story.ts";
import { taskSchema } from "../definition/task.ts";

export type FileFields = Readonly<Record<string, unknown>>;

interface PlanMode {
  /** The plan names only the fields that it changes. Otherwise it is the whole definition. */
  readonly isPartial: boolean;
}

export function storyAfter(
  before: FileFields | undefined,
  planned: FileFields,
  mode: PlanMode,
): FileFields {
  if (before) return merge(before, planned, KINDS.story, mode);
  const { id, title, ...rest } = planned;
  return {
    id,
    title,
    ...describedByTitle(planned, mode),
    ...rest,
    status: planned["status"] ?? "pending",
  };
}

export function taskAfter(
  before: FileFields | undefined,
  planned: FileFields,
  mode: PlanMode,
): FileFields {
  if (before) return merge(before, planned, KINDS.task, mode);
  return {
    ...planned,
    status: planned["status"] ?? "pending",
    blockedBy: planned["blockedBy"] ?? [],
  };
}

export function epicAfter(
  before: FileFields | undefined,
  planned: FileFields,
  mode: PlanMode,
): FileFields {
  const children = planned["children"] ?? before?.["children"] ?? [];
  if (before) return merge(before, { ...planned, children }, KINDS.epic, mode);
  const { id, title, ...rest } = planned;
  return {
    id,
    ...(title !== undefined && { title }),
    ...describedByTitle(planned, mode),
    ...rest,
    children,
  };
}

/** Whether both parse to the same value: a field may be missing in one and have its default in the other. */
export function meansTheSame(
  kind: keyof typeof KINDS,
  one: FileFields,
  other: FileFields,
): boolean {
  const { schema } = KINDS[kind];
  const [left, right] = [schema.safeParse(one), schema.safeParse(other)];
  return isSame(left.success ? left.data : one, right.success ? right.data : other);
}

interface FileKind {
  readonly schema: typeof storySchema | typeof taskSchema | typeof epicSchema;
  /** Written by runs. */
  readonly owned: readonly string[];
}

const KINDS = {
  story: { schema: storySchema, owned: ["status", "branch", "pr", "worktree"] },
  task: { schema: taskSchema, owned: ["status", "splitFrom"] },
  epic: { schema: epicSchema, owned: ["status", "branch", "pr"] },
} as const satisfies Record<string, FileKind>;

function merge(
  before: FileFields,
  planned: FileFields,
  { schema, owned }: FileKind,
  { isPartial }: PlanMode,
): FileFields {
  const isKept = (key: string): boolean =>
    isPartial || owned.includes(key) || key in planned || !(key in schema.shape);
  return {
    ...Object.fromEntries(Object.entries(before).filter(([key]) => isKept(key))),
    ...Object.fromEntries(Object.entries(planned).filter(([key]) => !owned.includes(key))),
  };
}

/** A payload of the lightweight pipeline may have no description. */
const describedByTitle = (planned: FileFields, { isPartial }: PlanMode): FileFields =>
  isPartial && planned["description"] === undefined ? { description: planned["title"] } : {};

/** Deep equality of JSON values; the order of keys does not matter. */
function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || !one || !other) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const keys = Object.keys(one);
  return (
    keys.length === Object.keys(other).length &&
    keys.every(
      (key) => key in other && isSame((one as FileFields)[key], (other as FileFields)[key]),
    )
  );
}
