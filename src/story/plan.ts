// A plan: epics, stories and tasks to be written in one go. People and agents hand it over as JSON,
// either in Saga's own form or as the `STAGING_PAYLOAD` of the lightweight pipeline.

import * as z from "zod";
import { epicSchema } from "./epic.ts";
import { explain, type Finding } from "./explain.ts";
import { idList } from "./fields.ts";
import { storySchema } from "./story.ts";
import { taskSchema } from "./task.ts";

type Fields = Readonly<Record<string, unknown>>;

const planStorySchema = storySchema.extend({
  blockedBy: idList("story").optional().describe("Stories of its epic that come first."),
  tasks: z.array(taskSchema).default([]),
});

export const planSchema = z
  .strictObject({
    epics: z
      .array(epicSchema.extend({ children: epicSchema.shape.children.default([]) }))
      .default([]),
    stories: z.array(planStorySchema).default([]),
  })
  .meta({ title: "Saga plan", description: "What `saga stage` reads." });

/** Each entry as it was written: what goes to disk holds nothing that its author did not say. */
export interface Plan {
  readonly epics: readonly Fields[];
  readonly stories: readonly PlanStory[];
  /** True for a payload that updates: fields it leaves out stay as they are. */
  readonly isPartial: boolean;
}

export interface PlanStory {
  readonly fields: Fields;
  readonly blockedBy: readonly string[] | undefined;
  readonly tasks: readonly Fields[];
}

export type ParsedPlan =
  | { readonly plan: Plan; readonly findings?: never }
  | { readonly findings: readonly Finding[]; readonly plan?: never };

/** Takes parsed JSON of either form. */
export function parsePlan(json: unknown): ParsedPlan {
  const payload = payloadSchema.safeParse(json);
  if (payload.success) return { plan: planOfPayload(payload.data) };
  const parsed = planSchema.safeParse(json);
  if (!parsed.success) {
    const isPayload = isObject(json) && ("storyUpdate" in json || "epicUpdate" in json);
    return { findings: explain(isPayload ? payload.error : parsed.error, json) };
  }
  const { epics = [], stories = [] } = json as { epics?: Fields[]; stories?: Fields[] };
  return {
    plan: { epics, stories: stories.map(planStory), isPartial: false },
  };
}

/**
 * Agents wrap the payload in prose and fences: what counts is the object behind the marker. Line
 * breaks before it are kept, so that a place in it is a place in the whole text.
 */
export function payloadIn(text: string): string | undefined {
  const marker = text.lastIndexOf("STAGING_PAYLOAD");
  const begin = text.indexOf("{", marker);
  const end = text.lastIndexOf("}");
  if (marker < 0 || begin < 0 || end < begin) return undefined;
  return text.slice(0, begin).replaceAll(/[^\n]/g, "") + text.slice(begin, end + 1);
}

const PAYLOAD_STATES = { filling: "pending", running: "in_progress", closed: "completed" } as const;

const storyUpdateSchema = z.looseObject({
  id: storySchema.shape.id,
  epicId: storySchema.shape.epic,
  state: z.enum(["filling", "running", "closed"]).optional(),
  body: z.string().optional(),
  tasks: z.array(taskSchema).optional(),
});
const epicUpdateSchema = z.looseObject({ id: epicSchema.shape.id, body: z.string().optional() });

const payloadSchema = z
  .looseObject({
    storyUpdate: z.union([storyUpdateSchema, z.array(storyUpdateSchema)]).optional(),
    epicUpdate: z.union([epicUpdateSchema, z.array(epicUpdateSchema)]).optional(),
  })
  .refine(
    (payload) => payload.storyUpdate !== undefined || payload.epicUpdate !== undefined,
    "holds neither storyUpdate nor epicUpdate",
  );

function planOfPayload(payload: z.output<typeof payloadSchema>): Plan {
  const stories = [payload.storyUpdate ?? []].flat().map(({ epicId, state, body, ...fields }) =>
    planStory({
      ...fields,
      ...(epicId !== undefined && { epic: epicId }),
      ...(state !== undefined && { status: PAYLOAD_STATES[state] }),
      ...(body !== undefined && { description: body }),
    }),
  );
  const epics = [payload.epicUpdate ?? []].flat().map(({ body, ...fields }) => ({
    ...fields,
    ...(body !== undefined && { description: body }),
  }));
  return { epics, stories, isPartial: true };
}

function planStory({ blockedBy, tasks, ...fields }: Fields): PlanStory {
  return {
    fields,
    blockedBy: blockedBy as string[] | undefined,
    tasks: (tasks as Fields[] | undefined) ?? [],
  };
}

const isObject = (value: unknown): value is Fields => typeof value === "object" && value !== null;
