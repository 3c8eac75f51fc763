// Validates what the page asks for and maps it to a saga command. Pure. A person's text is never an argument of its own:
// it may begin with a dash.

import * as z from "zod";
import { label } from "../../story/definition/fields.ts";
import {
  epicOfSession,
  idProblem,
  storyOfSession,
  type IdKind,
} from "../../story/definition/names.ts";
import type { Act, RunLimits } from "../protocol/acts.ts";

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

export const actSchema = z.discriminatedUnion("act", [
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

export function commandOf(act: Act): SagaCommand {
  switch (act.act) {
    case "run":
    case "resume":
      return { words: [act.act, act.story, ...limitWords(act)] };
    case "stop":
    case "push":
    case "verify":
    case "archive":
      return { words: [act.act, act.story] };
    case "restore":
      return { words: ["snapshot", "restore", act.story, String(act.number)] };
    case "note":
      return noteCommand(act.story, act.text);
    case "merge":
      return { words: ["merge", act.story, checkoutWord(act.updateCheckout)] };
    case "discard":
      return { words: ["discard", act.story, "--yes"] };
    case "remove":
      return { words: ["rm", act.story, "--yes"] };
    case "accept":
      return {
        words: [
          "accept",
          act.story,
          ...(act.override ?? []).map((rule) => `--override=${rule}`),
          ...optional("why", act.why),
        ],
      };
    case "reject":
      return { words: ["send-back", act.story, "-", ...runFlag(act)], input: act.why };
    case "resolve":
      return {
        words: ["resolve", act.story, "-", `--blocker=${act.blocker}`, ...runFlag(act)],
        input: act.answer,
      };
    case "epic-run":
      return {
        words: [
          "epic",
          "run",
          act.epic,
          "--detach",
          ...optional("parallel", act.parallel),
          ...(act.merge === true ? ["--merge"] : []),
          ...(act.merge === true || act.updateCheckout === true
            ? [checkoutWord(act.updateCheckout)]
            : []),
          ...limitWords(act),
        ],
      };
    case "epic-merge":
      return { words: ["merge", act.epic, checkoutWord(act.updateCheckout)] };
    case "epic-stop":
      return { words: ["epic", "stop", act.epic] };
    case "session-stop":
      return commandOfSession(act.session) ?? { words: [] };
    case "task-release":
      return { words: ["task", "release", act.task, ...optional("answer", act.answer)] };
    case "task-add":
      return {
        words: [
          "task",
          "add",
          ...optional("description", act.description),
          ...optional("priority", act.priority),
          ...optional("label", act.label),
          "--",
          act.subject,
        ],
      };
    case "pool-list":
      return { words: ["config", "set", "auto.task_list_id", act.list] };
    case "pool-start":
      return {
        words: [
          "auto",
          "--detach",
          ...optional("workers", act.workers),
          ...(act.once === true ? ["--once"] : []),
        ],
      };
    case "pool-stop":
      return { words: ["auto", "stop", act.instance] };
    case "pool-drain":
      return { words: ["auto", "drain", act.instance] };
  }
}

const limitWords = ({ model, maxMinutes, maxCostUsd }: RunLimits): string[] => [
  ...optional("model", model),
  ...optional("max-time", maxMinutes),
  ...optional("max-cost", maxCostUsd),
];

/** The first line is the title, the rest the body. */
function noteCommand(storyId: string, note: string): SagaCommand {
  const [title = "", ...rest] = note.trim().split(/\r?\n/);
  const body = rest.join("\n").trim();
  const words = ["journal", storyId, `--decision=${title}`];
  return body === "" ? { words } : { words: [...words, "--body=-"], input: body };
}

/** With `--ask-first` the command returns the question to ask, and changes nothing. */
const checkoutWord = (isUpdated: boolean | undefined): string =>
  isUpdated === true ? "--update-checkout" : "--ask-first";

const runFlag = ({ run = false }: { readonly run?: boolean }): string[] => (run ? ["--run"] : []);

/** `--name=value` as one argument: the value may begin with a dash. */
const optional = (name: string, value: string | number | undefined): string[] =>
  value === undefined ? [] : [`--${name}=${value}`];

/** Stops what runs in the session, so that its work is saved first. */
function commandOfSession(name: string): SagaCommand | undefined {
  const epic = epicOfSession(name);
  if (epic !== undefined) return { words: ["epic", "stop", epic] };
  const worker = storyOfSession(name)?.storyId;
  return worker === undefined ? undefined : { words: ["stop", worker] };
}

/** The message after success. */
export function doneText(act: Act): string {
  switch (act.act) {
    case "run":
      return `Started ${act.story}.`;
    case "stop":
      return `Stopped ${act.story}. Its work is kept.`;
    case "resume":
      return `Resumed ${act.story}.`;
    case "discard":
      return `Discarded the work on ${act.story}. A snapshot is saved.`;
    case "push":
      return `Pushed the branch of ${act.story}.`;
    case "merge":
      return `Merged ${act.story}.`;
    case "verify":
      return `${act.story}: all checks passed.`;
    case "archive":
      return `Archived ${act.story}.`;
    case "remove":
      return `Removed ${act.story}. Its files are in .saga/removed.`;
    case "restore":
      return `Restored snapshot ${act.number} of ${act.story}.`;
    case "note":
      return `Added to the journal of ${act.story}.`;
    case "accept":
      return `Accepted ${act.story}.`;
    case "reject":
      return act.run === true
        ? `Sent back ${act.story}. It continues with your feedback.`
        : `Sent back ${act.story}. Your feedback is now a task.`;
    case "resolve":
      return act.run === true
        ? `Answered. ${act.story} continues.`
        : `Answered. ${act.story} continues with its next run.`;
    case "epic-run":
      return `Running epic ${act.epic}.`;
    case "epic-merge":
      return `Merged epic ${act.epic}.`;
    case "epic-stop":
      return `Stopped the run of ${act.epic}. Running stories continue.`;
    case "session-stop":
      return `Stopped ${act.session}.`;
    case "task-release":
      return `Task ${act.task} is back on the list.`;
    case "task-add":
      return "Added the task.";
    case "pool-list":
      return `The pool now uses the list ${act.list}.`;
    case "pool-start":
      return "Started the pool.";
    case "pool-stop":
      return "Stopped the pool. Its work is kept.";
    case "pool-drain":
      return "Draining: no new tasks will start; the pool exits when running tasks finish.";
  }
}
