// A plan: epics, stories and tasks that are written together. People and agents write it as JSON, either in Saga's
// own form or as the `STAGING_PAYLOAD` of the lightweight pipeline.

import * as z from "zod";
import { epicSchema } from "../definition/epic.ts";
import { explain, type FieldProblem } from "../definition/explain-error.ts";
import { storyId } from "../definition/fields.ts";
import { storySchema } from "../definition/story.ts";
import { taskSchema } from "../definition/task.ts";
import type { FileFields } from "./fields-after-plan.ts";

const planStorySchema = storySchema.extend({
  /** Stories of its epic that come first. */
  blockedBy: z.array(storyId).optional(),
  tasks: z.array(taskSchema).default([]),
});

export const planSchema = z.strictObject({
  epics: z
    .array(epicSchema.extend({ children: epicSchema.shape.children.default([]) }))
    .default([]),
  stories: z.array(planStorySchema).default([]),
});

/** Each entry as it was written, without defaults: files contain only what their author wrote. */
export interface Plan {
  readonly epics: readonly FileFields[];
  readonly stories: readonly PlanStory[];
  /** For a payload: fields that it leaves out keep their values. */
  readonly isPartial: boolean;
}

export interface PlanStory {
  readonly fields: FileFields;
  readonly blockedBy: readonly string[] | undefined;
  readonly tasks: readonly FileFields[];
}

export type ParsedPlan =
  | { readonly plan: Plan; readonly problems?: never }
  | { readonly problems: readonly FieldProblem[]; readonly plan?: never };

/** Takes parsed JSON of either form. */
export function parsePlan(json: unknown): ParsedPlan {
  if (isObject(json) && ("storyUpdate" in json || "epicUpdate" in json)) return parsePayload(json);
  const parsed = planSchema.safeParse(json);
  if (!parsed.success) return { problems: explain(parsed.error, json) };
  const { epics = [], stories = [] } = json as { epics?: FileFields[]; stories?: FileFields[] };
  return { plan: { epics, stories: stories.map(planStory), isPartial: false } };
}

/**
 * Finds the payload in an agent's answer, which may have prose and fences around it: the object behind the last
 * marker at the start of a line. Line breaks before it are kept, so that line numbers fit the whole text.
 */
export function payloadIn(text: string): string | undefined {
  const marker = [...text.matchAll(/^[^\w\n{"]*STAGING_PAYLOAD\b/gm)].at(-1);
  if (!marker) return undefined;
  const begin = text.indexOf("{", marker.index);
  if (begin < 0) return undefined;
  const before = text.slice(0, begin).replaceAll(/[^\n]/g, "");
  return before + text.slice(begin, endOfObject(text, begin));
}

/** The index behind the matching closing brace. Braces in strings do not count. */
function endOfObject(text: string, begin: number): number {
  let depth = 0;
  for (const { 0: token, index } of text.slice(begin).matchAll(/"(?:\\.|[^"\\])*"|[{}]/g)) {
    if (token === "{") depth++;
    if (token === "}") depth--;
    if (depth === 0) return begin + index + 1;
  }
  return text.length;
}

const PAYLOAD_STATES = { filling: "pending", running: "in_progress", closed: "completed" } as const;

const storyUpdateSchema = z.looseObject({
  id: storySchema.shape.id,
  epicId: storySchema.shape.epic,
  state: z.enum(["filling", "running", "closed"]).optional(),
  body: z.string().optional(),
  blockedBy: planStorySchema.shape.blockedBy,
  tasks: z.array(taskSchema).optional(),
});
const epicUpdateSchema = z.looseObject({ id: epicSchema.shape.id, body: z.string().optional() });

/** One update or a list of them. A union would not explain what is wrong with either. */
const oneOrMore = (schema: z.ZodType, value: unknown): z.ZodType =>
  (Array.isArray(value) ? z.array(schema) : schema).optional();

function parsePayload(json: FileFields): ParsedPlan {
  const { storyUpdate, epicUpdate } = json;
  const schema = z.strictObject({
    storyUpdate: oneOrMore(storyUpdateSchema, storyUpdate),
    epicUpdate: oneOrMore(epicUpdateSchema, epicUpdate),
  });
  const parsed = schema.safeParse(json);
  if (!parsed.success) return { problems: explain(parsed.error, json) };
  const updates = (value: unknown): FileFields[] =>
    [(value ?? []) as FileFields | FileFields[]].flat();
  return {
    plan: {
      epics: updates(epicUpdate).map(withDescription),
      stories: updates(storyUpdate).map(({ epicId, state, ...fields }) =>
        planStory({
          ...withDescription(fields),
          ...(epicId !== undefined && { epic: epicId }),
          ...(state !== undefined && {
            status: PAYLOAD_STATES[state as keyof typeof PAYLOAD_STATES],
          }),
        }),
      ),
      isPartial: true,
    },
  };
}

const withDescription = ({ body, ...fields }: FileFields): FileFields => ({
  ...fields,
  ...(body !== undefined && { description: body }),
});

function planStory({ blockedBy, tasks, ...fields }: FileFields): PlanStory {
  return {
    fields,
    blockedBy: blockedBy as string[] | undefined,
    tasks: (tasks as FileFields[] | undefined) ?? [],
  };
}

const isObject = (value: unknown): value is FileFields =>
  typeof value === "object" && value !== null;
