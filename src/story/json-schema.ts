// The formats as JSON Schemas, made from the same source that judges the files.

import * as z from "zod";
import { epicSchema } from "./epic.ts";
import { planSchema } from "./plan.ts";
import { eventSchema, runSchema } from "./run.ts";
import { configSchema } from "./settings.ts";
import { storySchema } from "./story.ts";
import { taskSchema } from "./task.ts";

const SCHEMAS = {
  story: storySchema,
  task: taskSchema,
  epic: epicSchema,
  plan: planSchema,
  config: configSchema,
  run: runSchema,
  event: eventSchema,
} as const;

export const SCHEMA_NAMES: readonly string[] = Object.keys(SCHEMAS);

/** What people may write: fields with a default are not required. */
export function jsonSchema(name: string): unknown {
  const schema = Object.entries(SCHEMAS).find(([known]) => known === name)?.[1];
  return schema && z.toJSONSchema(schema, { io: "input" });
}
