// Validates an action of the page and maps it to a saga command. Pure. A person's text is never a separate argument:
// it may begin with a dash.

import * as z from "zod";
import { label } from "../../story/definition/fields.ts";
import {
  epicOfSession,
  idProblem,
  storyOfSession,
  type IdKind,
} from "../../story/definition/names.ts";
import type { PageAction, RunLimits } from "../protocol/actions.ts";
import { DEFINITION_SCHEMAS, definitionCommand } from "./definition-commands.ts";

const id = (kind: IdKind) =>
  z.string().refine((text) => idProblem(kind, text) === undefined, `is not a valid ${kind} id`);
const story = id("story");
const text = z.string().max(100_000).regex(/\S/, "is empty");
/** Ids of both Claude's and Saga's tasks. */
const taskId = z.string().regex(/^[A-Za-z0-9][\w-]{0,99}$/, "is not a valid task id");
const instance = z.string().regex(/^[0-9a-f]{8}$/, "is not a valid daemon id");
const session = z
  .string()
  .refine(
    (name) => commandOfSession(name) !== undefined,
    "is not a session that can be stopped on its own",
  );

const limits = {
  model: z
    .string()
    .max(100)
    .regex(/^[\w.:/[\]-]+$/, "is not a valid model name")
    .optional(),
  maxMinutes: z.number().positive().max(100_000).optional(),
  maxCostUsd: z.number().positive().max(1_000_000).optional(),
};

export const actionSchema = z.discriminatedUnion("act", [
  ...DEFINITION_SCHEMAS,
  z.strictObject({
    act: z.enum(["stop", "discard", "push", "verify", "archive", "remove"]),
    story,
  }),
  z.strictObject({ act: z.enum(["run", "resume"]), story, ...limits }),
  z.strictObject({ act: z.literal("restore"), story, number: z.int().min(1).max(1_000_000) }),
  z.strictObject({ act: z.literal("note"), story, text }),
  z.strictObject({ act: z.literal("merge"), story, updateCheckout: z.boolean().optional() }),
  z.strictObject({
    act: z.literal("accept"),
    story,
    merge: z.boolean().optional(),
    override: z.array(z.string().regex(/^[a-z][a-z-]{0,40}$/, "is not a valid rule")).optional(),
    why: text.optional(),
  }),
  z.strictObject({ act: z.literal("reject"), story, why: text, run: z.boolean().optional() }),
  z.strictObject({
    act: z.literal("resolve"),
    story,
    blocker: z.string().regex(/^b\d{1,6}$/, "is not a valid question number"),
    answer: text,
    run: z.boolean().optional(),
  }),
  z.strictObject({
    act: z.literal("epic-run"),
    epic: id("epic"),
    parallel: z.int().min(1).max(100).optional(),
    merge: z.boolean().optional(),
    updateCheckout: z.boolean().optional(),
    ...limits,
  }),
  z.strictObject({ act: z.literal("epic-stop"), epic: id("epic") }),
  z.strictObject({
    act: z.literal("epic-merge"),
    epic: id("epic"),
    updateCheckout: z.boolean().optional(),
  }),
  z.strictObject({
    act: z.enum(["queue-hold", "queue-release", "queue-drop"]),
    // The id of a story or an epic, or a worker of the pool with its task.
    entry: z.string().regex(/^[A-Za-z0-9][\w-]*(?:\/[\w-]+)?$/, "is not the name of an entry"),
  }),
  z.strictObject({ act: z.literal("queue-run") }),
  z.strictObject({ act: z.literal("session-stop"), session }),
  z.strictObject({ act: z.literal("task-release"), task: taskId, answer: text.optional() }),
  z.strictObject({
    act: z.literal("task-add"),
    subject: z.string().min(1).max(200),
    description: text.optional(),
    priority: z.int().min(0).max(4).optional(),
    label: label.optional(),
  }),
  z.strictObject({
    act: z.literal("pool-list"),
    list: z.string().regex(/^[A-Za-z0-9][\w-]{0,99}$/, "is not a valid list name"),
  }),
  z.strictObject({
    act: z.literal("pool-start"),
    workers: z.int().min(1).max(64).optional(),
    once: z.boolean().optional(),
  }),
  z.strictObject({ act: z.enum(["pool-stop", "pool-drain"]), instance }),
]);

export interface SagaCommand {
  readonly words: readonly string[];
  /** A person's text, passed on stdin: it may begin with a dash. */
  readonly input?: string | undefined;
}

export function commandOf(action: PageAction): SagaCommand {
  switch (action.act) {
    case "new-story":
    case "new-task":
    case "new-epic":
    case "edit":
    case "unarchive":
    case "remove-task":
    case "remove-epic":
      return definitionCommand(action);
    case "run":
    case "resume":
      return { words: [action.act, action.story, ...limitWords(action)] };
    case "stop":
    case "push":
    case "verify":
    case "archive":
      return { words: [action.act, action.story] };
    case "restore":
      return { words: ["snapshot", "restore", action.story, String(action.number)] };
    case "note":
      return { words: ["note", action.story, "-"], input: action.text };
    case "merge":
      return { words: ["merge", action.story, checkoutWord(action.updateCheckout)] };
    case "discard":
      return { words: ["discard", action.story, "--yes"] };
    case "remove":
      return { words: ["rm", action.story, "--yes"] };
    case "accept":
      return {
        words: [
          "accept",
          action.story,
          ...(action.override ?? []).map((rule) => `--override=${rule}`),
          ...optional("why", action.why),
          ...(action.merge === true ? ["--merge", "--ask-first"] : []),
        ],
      };
    case "reject":
      return { words: ["send-back", action.story, "-", ...runFlag(action)], input: action.why };
    case "resolve":
      return {
        words: ["resolve", action.story, "-", `--blocker=${action.blocker}`, ...runFlag(action)],
        input: action.answer,
      };
    case "epic-run":
      return {
        words: [
          "epic",
          "run",
          action.epic,
          "--detach",
          ...optional("parallel", action.parallel),
          ...(action.merge === true ? ["--merge"] : []),
          ...(action.merge === true || action.updateCheckout === true
            ? [checkoutWord(action.updateCheckout)]
            : []),
          ...limitWords(action),
        ],
      };
    case "epic-merge":
      return { words: ["merge", action.epic, checkoutWord(action.updateCheckout)] };
    case "epic-stop":
      return { words: ["epic", "stop", action.epic] };
    case "queue-hold":
      return { words: ["queue", "hold", action.entry] };
    case "queue-release":
      return { words: ["queue", "release", action.entry] };
    case "queue-drop":
      return { words: ["queue", "drop", action.entry] };
    case "queue-run":
      return { words: ["queue", "run"] };
    case "session-stop":
      return commandOfSession(action.session) ?? { words: [] };
    case "task-release":
      return { words: ["task", "release", action.task, ...optional("answer", action.answer)] };
    case "task-add":
      return {
        words: [
          "task",
          "add",
          ...optional("description", action.description),
          ...optional("priority", action.priority),
          ...optional("label", action.label),
          "--",
          action.subject,
        ],
      };
    case "pool-list":
      return { words: ["config", "set", "auto.task_list_id", action.list] };
    case "pool-start":
      return {
        words: [
          "auto",
          "--detach",
          ...optional("workers", action.workers),
          ...(action.once === true ? ["--once"] : []),
        ],
      };
    case "pool-stop":
      return { words: ["auto", "stop", action.instance] };
    case "pool-drain":
      return { words: ["auto", "drain", action.instance] };
  }
}

const limitWords = ({ model, maxMinutes, maxCostUsd }: RunLimits): string[] => [
  ...optional("model", model),
  ...optional("max-time", maxMinutes),
  ...optional("max-cost", maxCostUsd),
];

/** With `--ask-first` the command returns the question to ask, and changes nothing. */
const checkoutWord = (isUpdated: boolean | undefined): string =>
  isUpdated === true ? "--update-checkout" : "--ask-first";

const runFlag = ({ run = false }: { readonly run?: boolean }): string[] => (run ? ["--run"] : []);

/** `--name=value` as one argument: the value may begin with a dash. */
const optional = (name: string, value: string | number | undefined): string[] =>
  value === undefined ? [] : [`--${name}=${value}`];

/** Stops through saga rather than tmux, so that the work is saved first. */
function commandOfSession(name: string): SagaCommand | undefined {
  const epic = epicOfSession(name);
  if (epic !== undefined) return { words: ["epic", "stop", epic] };
  const worker = storyOfSession(name)?.storyId;
  return worker === undefined ? undefined : { words: ["stop", worker] };
}
