// Validates the actions that create and change definitions, and maps them to saga commands. Pure. The commands check
// the values: the page has the same rules as a terminal.

import * as z from "zod";
import { idProblem, type IdKind } from "../../story/definition/names.ts";
import type {
  DefinitionAction,
  FieldChange,
  CreateStory,
  CreateTask,
} from "../protocol/definition-actions.ts";

const id = (kind: IdKind) =>
  z.string().refine((text) => idProblem(kind, text) === undefined, `is not a valid ${kind} id`);
const text = z.string().max(100_000);
const line = z
  .string()
  .max(1000)
  .regex(/^[^\n\0]*$/, "has several lines");
const list = z.array(line).max(200);

const describes = {
  description: text.regex(/\S/, "is empty"),
  guidance: text.optional(),
  doneWhen: text.optional(),
  checks: list.optional(),
  writeFiles: list.optional(),
  blockedBy: list.optional(),
};

const fieldChange = z.strictObject({
  field: z.string().regex(/^[A-Za-z]{1,40}$/, "is not a valid field"),
  value: z.union([text, z.number(), z.boolean(), list]).optional(),
});

export const DEFINITION_SCHEMAS = [
  z.strictObject({
    act: z.literal("new-story"),
    id: id("story"),
    epic: id("epic").optional(),
    title: line.optional(),
    avoid: text.optional(),
    labels: list.optional(),
    priority: z.number().optional(),
    needsTesting: z.boolean().optional(),
    needsReview: z.boolean().optional(),
    ...describes,
  }),
  z.strictObject({
    act: z.literal("new-task"),
    story: id("story"),
    id: id("task"),
    subject: line.optional(),
    ...describes,
  }),
  z.strictObject({
    act: z.literal("new-epic"),
    id: id("epic"),
    title: line.optional(),
    description: describes.description,
  }),
  z.strictObject({
    act: z.literal("edit"),
    kind: z.enum(["story", "epic", "task"]),
    id: z.string().refine(isDefinitionId, "is not a valid id"),
    set: z.array(fieldChange).min(1),
  }),
  z.strictObject({ act: z.literal("unarchive"), story: id("story") }),
  z.strictObject({ act: z.literal("remove-task"), story: id("story"), task: id("task") }),
  z.strictObject({
    act: z.literal("remove-epic"),
    epic: id("epic"),
    keepStories: z.boolean().optional(),
  }),
] as const;

function isDefinitionId(name: string): boolean {
  const [owner = "", task, ...more] = name.split("/");
  if (idProblem("story", owner) !== undefined || more.length > 0) return false;
  return task === undefined || idProblem("task", task) === undefined;
}

export function definitionCommand(action: DefinitionAction): {
  readonly words: readonly string[];
  readonly input?: string | undefined;
} {
  switch (action.act) {
    case "new-story":
      return {
        words: [
          "new",
          "story",
          action.id,
          ...option("epic", action.epic),
          ...option("title", action.title),
          ...option("avoid", action.avoid),
          ...options("label", action.labels),
          ...option("priority", action.priority),
          ...(action.needsTesting === true ? ["--needs-testing"] : []),
          ...(action.needsReview === true ? ["--needs-review"] : []),
          ...workWords(action),
        ],
        input: action.description,
      };
    case "new-task":
      return {
        words: [
          "new",
          "task",
          action.story,
          action.id,
          ...option("subject", action.subject),
          ...workWords(action),
        ],
        input: action.description,
      };
    case "new-epic":
      return {
        words: ["new", "epic", action.id, ...option("title", action.title), "--description=-"],
        input: action.description,
      };
    case "edit":
      return {
        words: [
          "edit",
          action.id,
          ...(action.kind === "epic" ? ["--epic"] : []),
          ...action.set.map((change) => `--set=${change.field}=${textOf(change)}`),
        ],
      };
    case "unarchive":
      return { words: ["unarchive", action.story] };
    case "remove-task":
      return { words: ["rm", `${action.story}/${action.task}`, "--yes"] };
    case "remove-epic":
      return {
        words: [
          "rm",
          action.epic,
          "--epic",
          "--yes",
          ...(action.keepStories === true ? ["--force"] : []),
        ],
      };
  }
}

/** The description comes on stdin: it may be long, and may begin with a dash. */
const workWords = (work: CreateStory | CreateTask): string[] => [
  ...option("guidance", work.guidance),
  ...option("done-when", work.doneWhen),
  ...options("check", work.checks),
  ...options("write", work.writeFiles),
  ...options("blocked-by", work.blockedBy),
  "--description=-",
];

/** `--name=value` as one argument: the value may begin with a dash. */
const option = (name: string, value: string | number | undefined): string[] =>
  value === undefined || value === "" ? [] : [`--${name}=${value}`];

const options = (name: string, values: readonly string[] = []): string[] =>
  values.flatMap((value) => option(name, value));

/** A list as JSON: a check may contain a comma. */
const textOf = ({ value }: FieldChange): string =>
  Array.isArray(value) ? (value.length === 0 ? "" : JSON.stringify(value)) : String(value ?? "");

/** The message after success. */
export function definitionSuccess(action: DefinitionAction): string {
  switch (action.act) {
    case "new-story":
      return `Created the story ${action.id}.`;
    case "new-task":
      return `Added the task ${action.id} to ${action.story}.`;
    case "new-epic":
      return `Created the epic ${action.id}.`;
    case "edit":
      return `Changed ${action.id}.`;
    case "unarchive":
      return `Moved ${action.story} back from the archive.`;
    case "remove-task":
      return `Removed the task ${action.task} of ${action.story}.`;
    case "remove-epic":
      return `Removed the epic ${action.epic}. Its file is kept in .saga/removed.`;
  }
}
