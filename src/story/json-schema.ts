// The file formats as JSON Schemas, from the same schemas that parse the files. The meaning of each field is a table
// beside its schema: `.describe()` would cost every start of the program about a millisecond.

import * as z from "zod";
import { EPIC_MEANINGS, epicSchema } from "./definition/epic.ts";
import { STORY_MEANINGS, storySchema } from "./definition/story.ts";
import { TASK_MEANINGS, taskSchema } from "./definition/task.ts";
import { planSchema } from "./plan/plan.ts";
import { configSchema } from "./settings/settings.ts";
import { EPICS_SNAPSHOT_MEANINGS, epicsSnapshotSchema } from "./state/epics-snapshot.ts";
import { EVENT_MEANINGS, eventSchema, RUN_MEANINGS, runSchema } from "./state/run.ts";

/** By path: `title`, `start.commit`, `children[].id`. */
type Meanings = Readonly<Record<string, string>>;

interface FileFormat {
  readonly schema: z.ZodType;
  readonly file: string;
  /** Missing where the schema has descriptions itself. */
  readonly meanings?: Meanings;
}

const FORMATS: ReadonlyMap<string, FileFormat> = new Map<string, FileFormat>([
  [
    "story",
    {
      schema: storySchema,
      file: "The file .saga/stories/<story>/story.json.",
      meanings: STORY_MEANINGS,
    },
  ],
  [
    "task",
    {
      schema: taskSchema,
      file: "A file .saga/stories/<story>/<task>.json.",
      meanings: TASK_MEANINGS,
    },
  ],
  [
    "epic",
    { schema: epicSchema, file: "The file .saga/epics/<epic>/epic.json.", meanings: EPIC_MEANINGS },
  ],
  ["plan", { schema: planSchema, file: "What `saga stage` reads." }],
  ["config", { schema: configSchema, file: "The file .saga/config.toml." }],
  [
    "run",
    {
      schema: runSchema,
      file: "The file .saga/runs/<story>/<run>/run.json.",
      meanings: RUN_MEANINGS,
    },
  ],
  [
    "event",
    {
      schema: eventSchema,
      file: "A line of .saga/runs/<story>/<run>/events.jsonl.",
      meanings: EVENT_MEANINGS,
    },
  ],
  [
    "epics",
    {
      schema: epicsSnapshotSchema,
      file: "The file .saga/epics.json, which is derived.",
      meanings: EPICS_SNAPSHOT_MEANINGS,
    },
  ],
]);

export const SCHEMA_NAMES: readonly string[] = [...FORMATS.keys()];

/** Undefined for an unknown name. */
export function jsonSchema(name: string): unknown {
  const format = FORMATS.get(name);
  if (!format) return undefined;
  const { schema, file, meanings = {} } = format;
  return { title: `Saga ${name}`, description: file, ...describedSchema(schema, meanings) };
}

/** The parts of a JSON Schema that lead to its fields. */
interface FieldSchema {
  description?: string;
  readonly properties?: Readonly<Record<string, FieldSchema>>;
  readonly items?: FieldSchema;
}

/** The schema of what people may write: fields with a default are not required. */
export function describedSchema(schema: z.ZodType, meanings: Meanings): FieldSchema {
  const described = z.toJSONSchema(schema, { io: "input" }) as FieldSchema;
  for (const [path, meaning] of Object.entries(meanings)) {
    const field = fieldAt(described, path);
    if (field) field.description = meaning;
  }
  return described;
}

const fieldAt = (schema: FieldSchema, path: string): FieldSchema | undefined =>
  path.split(".").reduce<FieldSchema | undefined>((parent, step) => {
    const object = parent?.items ?? parent;
    return object?.properties?.[step.replace("[]", "")];
  }, schema);
