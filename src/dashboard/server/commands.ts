// What can be done from the page, and which command of Saga's each is. Pure. A person's words never become a word of
// their own on the command line: they may begin with a dash.

import * as z from "zod";
import { label } from "../../story/definition/fields.ts";
import {
  epicOfSession,
  idFault,
  storyOfSession,
  type IdKind,
} from "../../story/definition/names.ts";
import type { Act, RunLimits } from "../protocol/acts.ts";

const id = (kind: IdKind) =>
  z.string().refine((text) => idFault(kind, text) === undefined, `is not the id of a ${kind}`);
const story = id("story");
const text = z.string().max(100_000).regex(/\S/, "is empty");
/** Claude's own ids of tasks, and Saga's. */
const taskId = z.string().regex(/^[A-Za-z0-9][\w-]{0,99}$/, "is not the id of a task");
const instance = z.string().regex(/^[0-9a-f]{8}$/, "is not the id of a daemon");
const session = z
  .string()
  .refine((name) => commandOfSession(name) !== undefined, "is not a session that is stopped alone");

const limits = {
  model: z
    .string()
    .max(100)
    .regex(/^[\w.:/[\]-]+$/, "is not the name of a model")
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
    override: z.array(z.string().regex(/^[a-z][a-z-]{0,40}$/, "is not a rule")).optional(),
    why: text.optional(),
  }),
  z.strictObject({ act: z.literal("reject"), story, why: text, run: z.boolean().optional() }),
  z.strictObject({
    act: z.literal("resolve"),
    story,
    blocker: z.string().regex(/^b\d{1,6}$/, "is not the number of a question"),
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
    list: z.string().regex(/^[A-Za-z0-9][\w-]{0,99}$/, "is not the name of a list"),
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
  /** A person's own text goes in here: it may begin with a dash. */
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

/** An entry has a title of one line; what follows is its body. */
function noteCommand(storyId: string, note: string): SagaCommand {
  const [title = "", ...rest] = note.trim().split(/\r?\n/);
  const body = rest.join("\n").trim();
  const words = ["journal", storyId, `--decision=${title}`];
  return body === "" ? { words } : { words: [...words, "--body=-"], input: body };
}

/** Without an answer, the command says what has to be asked, and does nothing. */
const checkoutWord = (isUpdated: boolean | undefined): string =>
  isUpdated === true ? "--update-checkout" : "--ask-first";

const runFlag = ({ run = false }: { readonly run?: boolean }): string[] => (run ? ["--run"] : []);

/** One word: a value that begins with a dash is still a value. */
const optional = (name: string, value: string | number | undefined): string[] =>
  value === undefined ? [] : [`--${name}=${value}`];

/** A session is stopped by stopping what runs in it: its work is put in order first. */
function commandOfSession(name: string): SagaCommand | undefined {
  const epic = epicOfSession(name);
  if (epic !== undefined) return { words: ["epic", "stop", epic] };
  const worker = storyOfSession(name)?.storyId;
  return worker === undefined ? undefined : { words: ["stop", worker] };
}

/** What is said when it is done. */
export function doneText(act: Act): string {
  switch (act.act) {
    case "run":
      return `${act.story} is being worked on.`;
    case "stop":
      return `${act.story} is stopped. Its work is kept.`;
    case "resume":
      return `${act.story} goes on.`;
    case "discard":
      return `The work on ${act.story} is discarded; a snapshot is kept.`;
    case "push":
      return `The branch of ${act.story} is pushed.`;
    case "merge":
      return `${act.story} is merged.`;
    case "verify":
      return `The receipts of ${act.story} hold for its code.`;
    case "archive":
      return `${act.story}: moved to the archive.`;
    case "remove":
      return `${act.story}: removed. Its files are kept in .saga/removed.`;
    case "restore":
      return `Snapshot ${act.number} of ${act.story} is restored.`;
    case "note":
      return `${act.story}: added to its journal.`;
    case "accept":
      return `${act.story} is accepted.`;
    case "reject":
      return act.run === true
        ? `Sent back. ${act.story} continues with your feedback.`
        : `${act.story} goes back, with what you wrote as a task.`;
    case "resolve":
      return act.run === true
        ? `Answered. ${act.story} continues.`
        : `${act.blocker} of ${act.story} is answered. Its next run is told.`;
    case "epic-run":
      return `${act.epic} is being worked through.`;
    case "epic-merge":
      return `${act.epic} is merged.`;
    case "epic-stop":
      return `The run of ${act.epic} has ended. Stories that are being worked on go on.`;
    case "session-stop":
      return `${act.session} is stopped.`;
    case "task-release":
      return `The task ${act.task} is back on the list.`;
    case "task-add":
      return "The task is on the list.";
    case "pool-list":
      return `The pool works through the list ${act.list}.`;
    case "pool-start":
      return "Started the pool.";
    case "pool-stop":
      return "The pool is stopped. What was being worked on is kept.";
    case "pool-drain":
      return "The pool begins nothing more, and ends when what runs is finished.";
  }
}
