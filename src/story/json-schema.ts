// The formats as JSON Schemas, made from the same source that judges the files. What the fields mean
// is said here: it is only needed by editors, and would cost every start a little.

import * as z from "zod";
import { epicSchema } from "./epic.ts";
import { epicsSnapshotSchema } from "./epics-snapshot.ts";
import { planSchema } from "./plan.ts";
import { eventSchema, runSchema } from "./run.ts";
import { configSchema } from "./settings.ts";
import { storySchema } from "./story.ts";
import { taskSchema } from "./task.ts";

interface Format {
  readonly schema: z.ZodType;
  readonly file: string;
  readonly fields?: Readonly<Record<string, string>>;
}

const DEFINITION = {
  description: "The goal, with all the context that the work needs.",
  guidance: "How to approach the work.",
  doneWhen: "What must hold when it is done.",
  status: "Changed by runs.",
  writeFiles: "The files it may change, as globs.",
  branch: "Written by runs.",
  pr: "Written by runs.",
};

const STORY = {
  ...DEFINITION,
  id: "Also the name of its folder.",
  title: "What people call it.",
  avoid: "What not to do.",
  epic: "The epic it belongs to.",
  priority: "0 is the most urgent, 4 the least.",
  checks: "Commands that must succeed on a clean checkout.",
  needsTesting: "A tester must pass it.",
  needsReview: "A reviewer must pass it.",
  worktree: "Written by runs.",
};

const TASK = {
  ...DEFINITION,
  id: "Also the name of its file.",
  subject: "Short imperative title.",
  activeForm: "What is shown while it runs: `Writing tests`.",
  blockedBy: "Tasks of this story that come first.",
  checks: "Commands that must succeed before it counts.",
  estimatedLines: "How many lines it will change.",
};

const EPIC = {
  ...DEFINITION,
  id: "Also the name of its folder.",
  title: "What people call it.",
  children: "Its stories, each with those of the epic that come first.",
  delivery: "A pull request for each story, or one for the epic.",
};

const FORMATS: ReadonlyMap<string, Format> = new Map([
  [
    "story",
    { schema: storySchema, file: "The file .saga/stories/<story>/story.json.", fields: STORY },
  ],
  ["task", { schema: taskSchema, file: "A file .saga/stories/<story>/<task>.json.", fields: TASK }],
  ["epic", { schema: epicSchema, file: "The file .saga/epics/<epic>/epic.json.", fields: EPIC }],
  ["plan", { schema: planSchema, file: "What `saga stage` reads." }],
  ["config", { schema: configSchema, file: "The file .saga/config.toml." }],
  ["run", { schema: runSchema, file: "The file .saga/runs/<story>/<run>/run.json." }],
  ["event", { schema: eventSchema, file: "A line of .saga/runs/<story>/<run>/events.jsonl." }],
  ["epics", { schema: epicsSnapshotSchema, file: "The file .saga/epics.json, which is derived." }],
]);

export const SCHEMA_NAMES: readonly string[] = [...FORMATS.keys()];

/** What people may write: fields with a default are not required. */
export function jsonSchema(name: string): unknown {
  const format = FORMATS.get(name);
  if (!format) return undefined;
  const schema = z.toJSONSchema(format.schema, { io: "input" });
  for (const [field, description] of Object.entries(format.fields ?? {})) {
    const property = schema.properties?.[field];
    if (typeof property === "object") property.description = description;
  }
  return { title: `Saga ${name}`, description: format.file, ...schema };
}
