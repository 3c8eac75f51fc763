// The formats as JSON Schemas, made from the same source that judges the files. What the fields mean
// is said here: it is only needed by editors, and would cost every start a little.

import * as z from "zod";
import { epicSchema } from "./definition/epic.ts";
import { epicsSnapshotSchema } from "./state/epics-snapshot.ts";
import { planSchema } from "./plan/plan.ts";
import { eventSchema, runSchema } from "./state/run.ts";
import { configSchema } from "./settings/settings.ts";
import { storySchema } from "./definition/story.ts";
import { taskSchema } from "./definition/task.ts";

interface SchemaFormat {
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
  labels: "Words to find it by.",
  priority: "0 is the most urgent, 4 the least.",
  checks: "Commands that must succeed on a clean checkout.",
  needsTesting: "A tester must pass it.",
  needsReview: "A reviewer must pass it.",
  worktree: "Written by runs.",
} satisfies Record<keyof typeof storySchema.shape, string>;

const TASK = {
  ...DEFINITION,
  id: "Also the name of its file.",
  subject: "Short imperative title.",
  activeForm: "What is shown while it runs: `Writing tests`.",
  blockedBy: "Tasks of this story that come first.",
  checks: "Commands that must succeed before it counts.",
  estimatedLines: "How many lines it will change.",
  order: "Its place among the story's tasks as they were written. Saga numbers new tasks itself.",
  splitFrom: "Written when a task is split: the one that this is a part of.",
} satisfies Record<keyof typeof taskSchema.shape, string>;

const EPIC = {
  ...DEFINITION,
  id: "Also the name of its folder.",
  title: "What people call it.",
  status:
    "Written by `saga merge`, in the commit that it merges: in progress with the first story, completed with the last. It is not written while the file has uncommitted changes, nor when a story is started, discarded or merged by other means; the next merge corrects it. Commands and the dashboard derive the status from the stories instead.",
  children: "Its stories, each with those of the epic that come first.",
  branch: "`epic/<id>`. An epic that names it is delivered as one.",
  persistent:
    "It stays open when all its stories are completed; its own branch starts again from the target after each merge.",
  delivery: "A pull request for each story, or one for the epic.",
} satisfies Record<keyof typeof epicSchema.shape, string>;

const RUN = {
  id: "Sorts by time; also the name of its folder.",
  story: "The story, or the worker of the pool (`auto-1`).",
  startedAt: "When it began.",
  endedAt: "When it ended; missing while it runs, and when its worker was killed.",
  outcome: "How it ended.",
  reason: "Why, in a sentence.",
  limit: "Which limit it reached, when that is its outcome.",
  pushError: "Why its branch could not be pushed, until a later push succeeds.",
  isCutOff: "In older records: the run was cut off, which is `killed` today.",
  isAside: "It came to nothing and changed nothing.",
  discardedAt: "When its work was discarded: it says nothing about its story any more.",
  hasReceipts: "It holds receipts of gates.",
  hasWord: "It holds a person's word.",
  start: "The commit that it started its story with, and Saga's seal on it.",
  session: "The tmux session, when it has one.",
  outputFile: "The file with what that session printed.",
  worker: "The process of the worker: number, start time, boot, machine.",
  agent: "The process of the agent, or of the last one.",
  taskList: "The list that Claude Code works through.",
  task: "Of a worker of the pool: the task.",
  list: "Of a worker of the pool: the list that it is on.",
  model: "The model.",
  conversation: "Claude Code's own id of the conversation.",
  cycles: "How many headless runs there were.",
  silentCheckIns: "Check-ins in a row at which its agent had used no tool.",
  costUsd: "What it cost so far, in US dollars.",
  costIsEstimate:
    "Whether some of that was counted by Saga, because Claude Code did not report it.",
  inputTokens: "Tokens that went in.",
  outputTokens: "Tokens that came out.",
} satisfies Record<keyof typeof runSchema.shape, string>;

const EVENT = {
  at: "When it happened.",
  type: "What happened; the other fields depend on it.",
} satisfies Record<keyof typeof eventSchema.shape, string>;

const EPICS = {
  epics: "Every epic, with its branch and pull request.",
  stories: "Every story: `closed` is merged or archived, `running` begun, `filling` not begun.",
} satisfies Record<keyof typeof epicsSnapshotSchema.shape, string>;

const FORMATS: ReadonlyMap<string, SchemaFormat> = new Map([
  [
    "story",
    { schema: storySchema, file: "The file .saga/stories/<story>/story.json.", fields: STORY },
  ],
  ["task", { schema: taskSchema, file: "A file .saga/stories/<story>/<task>.json.", fields: TASK }],
  ["epic", { schema: epicSchema, file: "The file .saga/epics/<epic>/epic.json.", fields: EPIC }],
  ["plan", { schema: planSchema, file: "What `saga stage` reads." }],
  ["config", { schema: configSchema, file: "The file .saga/config.toml." }],
  ["run", { schema: runSchema, file: "The file .saga/runs/<story>/<run>/run.json.", fields: RUN }],
  [
    "event",
    {
      schema: eventSchema,
      file: "A line of .saga/runs/<story>/<run>/events.jsonl.",
      fields: EVENT,
    },
  ],
  [
    "epics",
    {
      schema: epicsSnapshotSchema,
      file: "The file .saga/epics.json, which is derived.",
      fields: EPICS,
    },
  ],
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
