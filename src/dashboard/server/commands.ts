// Maps an action of the page to a saga command. Pure. A person's text is never a separate argument: it may begin with
// a dash.

import { epicOfSession, storyOfSession } from "../../story/definition/names.ts";
import type { FieldChange, PageAction, RunLimits } from "../protocol/actions.ts";

export interface SagaCommand {
  readonly words: readonly string[];
  /** A person's text, passed on stdin: it may begin with a dash. */
  readonly input?: string | undefined;
  /** The message after success. */
  readonly done: string;
}

export function commandOf(action: PageAction): SagaCommand {
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
          ...flag("needs-testing", action.needsTesting),
          ...flag("needs-review", action.needsReview),
          ...workWords(action),
        ],
        input: action.description,
        done: `Created the story ${action.id}.`,
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
        done: `Added the task ${action.id} to ${action.story}.`,
      };
    case "new-epic":
      return {
        words: ["new", "epic", action.id, ...option("title", action.title), "--description=-"],
        input: action.description,
        done: `Created the epic ${action.id}.`,
      };
    case "edit":
      return {
        words: [
          "edit",
          action.id,
          ...flag("epic", action.kind === "epic"),
          ...action.set.map((change) => `--set=${change.field}=${textOf(change)}`),
        ],
        done: `Changed ${action.id}.`,
      };
    case "remove-task":
      return {
        words: ["rm", `${action.story}/${action.task}`, "--yes"],
        done: `Removed the task ${action.task} of ${action.story}.`,
      };
    case "remove-epic":
      return {
        words: ["rm", action.epic, "--epic", "--yes", ...flag("force", action.keepStories)],
        done: `Removed the epic ${action.epic}. Its file is kept in .saga/removed.`,
      };
    case "run":
      return {
        words: ["run", action.story, ...limitWords(action)],
        done: `Started ${action.story}.`,
      };
    case "resume":
      return {
        words: ["resume", action.story, ...limitWords(action)],
        done: `Resumed ${action.story}.`,
      };
    case "stop":
      return { words: ["stop", action.story], done: `Stopped ${action.story}. Its work is kept.` };
    case "push":
      return { words: ["push", action.story], done: `Pushed the branch of ${action.story}.` };
    case "verify":
      return { words: ["verify", action.story], done: `${action.story}: all checks passed.` };
    case "archive":
      return { words: ["archive", action.story], done: `Archived ${action.story}.` };
    case "unarchive":
      return {
        words: ["unarchive", action.story],
        done: `Moved ${action.story} back from the archive.`,
      };
    case "discard":
      return {
        words: ["discard", action.story, "--yes"],
        done: `Discarded the work on ${action.story}. A snapshot is saved.`,
      };
    case "remove":
      return {
        words: ["rm", action.story, "--yes"],
        done: `Removed ${action.story}. Its files are in .saga/removed.`,
      };
    case "restore":
      return {
        words: ["snapshot", "restore", action.story, String(action.number)],
        done: `Restored snapshot ${action.number} of ${action.story}.`,
      };
    case "note":
      return {
        words: ["note", action.story, "-"],
        input: action.text,
        done: `Saved the note. It reaches the agent of ${action.story} with its next tool call or run.`,
      };
    case "merge":
      return {
        words: ["merge", action.story, checkoutWord(action.updateCheckout)],
        done: `Merged ${action.story}.`,
      };
    case "accept":
      return {
        words: [
          "accept",
          action.story,
          ...options("override", action.override),
          ...option("why", action.why),
          ...(action.merge === true ? ["--merge", "--ask-first"] : []),
        ],
        done: `Accepted${action.merge === true ? " and merged" : ""} ${action.story}.`,
      };
    case "reject":
      return {
        words: ["send-back", action.story, "-", ...flag("run", action.run)],
        input: action.why,
        done:
          action.run === true
            ? `Sent back ${action.story}. It continues with your feedback.`
            : `Sent back ${action.story}. Your feedback is now a task.`,
      };
    case "resolve":
      return {
        words: [
          "resolve",
          action.story,
          "-",
          `--blocker=${action.blocker}`,
          ...flag("run", action.run),
        ],
        input: action.answer,
        done: `Answered. ${action.story} continues${action.run === true ? "" : " with its next run"}.`,
      };
    case "epic-run": {
      const asks = action.merge === true || action.updateCheckout === true;
      return {
        words: [
          "epic",
          "run",
          action.epic,
          "--detach",
          ...option("parallel", action.parallel),
          ...flag("merge", action.merge),
          ...(asks ? [checkoutWord(action.updateCheckout)] : []),
          ...limitWords(action),
        ],
        done: `Running epic ${action.epic}.`,
      };
    }
    case "epic-merge":
      return {
        words: ["merge", action.epic, checkoutWord(action.updateCheckout)],
        done: `Merged epic ${action.epic}.`,
      };
    case "epic-stop":
      return {
        words: ["epic", "stop", action.epic],
        done: `Stopped the run of ${action.epic}. Running stories continue.`,
      };
    case "queue-hold":
      return { words: ["queue", "hold", action.entry], done: `Holding ${action.entry}.` };
    case "queue-release":
      return { words: ["queue", "release", action.entry], done: `Released ${action.entry}.` };
    case "queue-drop":
      return {
        words: ["queue", "drop", action.entry],
        done: `Dropped ${action.entry} from the queue.`,
      };
    case "queue-run":
      // Some may have been refused: their stories say why.
      return { words: ["queue", "run"], done: "The queue is empty." };
    case "session-stop":
      return { words: stopWords(action.session), done: `Stopped ${action.session}.` };
    case "task-release":
      return {
        words: ["task", "release", action.task, ...option("answer", action.answer)],
        done: `Task ${action.task} is back on the list.`,
      };
    case "task-add":
      return {
        words: [
          "task",
          "add",
          ...option("description", action.description),
          ...option("priority", action.priority),
          ...option("label", action.label),
          "--",
          action.subject,
        ],
        done: "Added the task.",
      };
    case "pool-list":
      return {
        words: ["config", "set", "auto.task_list_id", action.list],
        done: `The pool now uses the list ${action.list}.`,
      };
    case "pool-start":
      return {
        words: [
          "auto",
          "--detach",
          ...option("workers", action.workers),
          ...flag("once", action.once),
        ],
        done: "Started the pool.",
      };
    case "pool-stop":
      return {
        words: ["auto", "stop", action.instance],
        done: "Stopped the pool. Its work is kept.",
      };
    case "pool-drain":
      return {
        words: ["auto", "drain", action.instance],
        done: "Draining: no new tasks will start; the pool exits when running tasks finish.",
      };
  }
}

const limitWords = ({ model, maxMinutes, maxCostUsd }: RunLimits): string[] => [
  ...option("model", model),
  ...option("max-time", maxMinutes),
  ...option("max-cost", maxCostUsd),
];

/** The description comes on stdin: it may be long, and may begin with a dash. */
const workWords = (
  work: Extract<PageAction, { act: "new-story" } | { act: "new-task" }>,
): string[] => [
  ...option("guidance", work.guidance),
  ...option("done-when", work.doneWhen),
  ...options("check", work.checks),
  ...options("write", work.writeFiles),
  ...options("blocked-by", work.blockedBy),
  "--description=-",
];

/** With `--ask-first` the command returns the question to ask, and changes nothing. */
const checkoutWord = (isUpdated: boolean | undefined): string =>
  isUpdated === true ? "--update-checkout" : "--ask-first";

const flag = (name: string, isSet: boolean | undefined): string[] =>
  isSet === true ? [`--${name}`] : [];

/** `--name=value` as one argument: the value may begin with a dash. */
const option = (name: string, value: string | number | undefined): string[] =>
  value === undefined || value === "" ? [] : [`--${name}=${value}`];

const options = (name: string, values: readonly string[] = []): string[] =>
  values.flatMap((value) => option(name, value));

/** A list as JSON: a check may contain a comma. */
const textOf = ({ value }: FieldChange): string =>
  Array.isArray(value) && value.length > 0 ? JSON.stringify(value) : String(value ?? "");

/** Stops through saga rather than tmux, so that the work is saved first. */
function stopWords(session: string): string[] {
  const epic = epicOfSession(session);
  return epic === undefined
    ? ["stop", storyOfSession(session)?.storyId ?? ""]
    : ["epic", "stop", epic];
}
