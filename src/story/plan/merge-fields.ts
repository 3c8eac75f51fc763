// What a file says after a plan. A plan defines; what runs have written, and fields that Saga does
// not know, are not its to change.

import { epicSchema } from "../definition/epic.ts";
import { storySchema } from "../definition/story.ts";
import { taskSchema } from "../definition/task.ts";

export type Fields = Readonly<Record<string, unknown>>;

/** Whether the plan names only what it changes, or the whole definition. */
interface Manner {
  readonly isPartial: boolean;
}

export function storyAfter(before: Fields | undefined, said: Fields, manner: Manner): Fields {
  if (before) return merge(before, said, KINDS.story, manner);
  const { id, title, ...rest } = said;
  return {
    id,
    title,
    ...describedByTitle(said, manner),
    ...rest,
    status: said["status"] ?? "pending",
  };
}

export function taskAfter(before: Fields | undefined, said: Fields, manner: Manner): Fields {
  if (before) return merge(before, said, KINDS.task, manner);
  return { ...said, status: said["status"] ?? "pending", blockedBy: said["blockedBy"] ?? [] };
}

export function epicAfter(before: Fields | undefined, said: Fields, manner: Manner): Fields {
  const children = said["children"] ?? before?.["children"] ?? [];
  if (before) return merge(before, { ...said, children }, KINDS.epic, manner);
  const { id, title, ...rest } = said;
  return {
    id,
    ...(title !== undefined && { title }),
    ...describedByTitle(said, manner),
    ...rest,
    children,
  };
}

/** Whether both mean the same to the program, however much of it they spell out. */
export function meansTheSame(kind: keyof typeof KINDS, one: Fields, other: Fields): boolean {
  const { schema } = KINDS[kind];
  const [left, right] = [schema.safeParse(one), schema.safeParse(other)];
  return isSame(left.success ? left.data : one, right.success ? right.data : other);
}

interface Kind {
  readonly schema: typeof storySchema | typeof taskSchema | typeof epicSchema;
  /** Written by runs. */
  readonly owned: readonly string[];
}

const KINDS = {
  story: { schema: storySchema, owned: ["status", "branch", "pr", "worktree"] },
  task: { schema: taskSchema, owned: ["status", "splitFrom"] },
  epic: { schema: epicSchema, owned: ["status", "branch", "pr"] },
} as const satisfies Record<string, Kind>;

function merge(
  before: Fields,
  said: Fields,
  { schema, owned }: Kind,
  { isPartial }: Manner,
): Fields {
  const isKept = (key: string): boolean =>
    isPartial || owned.includes(key) || key in said || !(key in schema.shape);
  return {
    ...Object.fromEntries(Object.entries(before).filter(([key]) => isKept(key))),
    ...Object.fromEntries(Object.entries(said).filter(([key]) => !owned.includes(key))),
  };
}

/** A payload of the lightweight pipeline may leave the text to its tasks. */
const describedByTitle = (said: Fields, { isPartial }: Manner): Fields =>
  isPartial && said["description"] === undefined ? { description: said["title"] } : {};

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
