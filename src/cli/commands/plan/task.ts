import { Option, type Command } from "commander";
import { readFileSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { adoptList, folderOfOwner, requireReadable } from "../../../tasks/list-owner.ts";
import { poolLocation, type PoolLocation } from "../../../tasks/location.ts";
import { isPlainName } from "../../../claude/tasks/file.ts";
import { SagaError } from "../../../errors.ts";
import { errorCode, readProblem } from "../../../machine/files/files.ts";
import { addTask } from "../../../pool/list/add-task.ts";
import { viewPoolList } from "../../../pool/list/read-list.ts";
import { explain } from "../../../story/definition/explain-error.ts";
import { label, oneLine } from "../../../story/definition/fields.ts";
import { POOL_TASK_STATES, type PoolTaskState } from "../../../tasks/view.ts";
import type { CommandResult, Build, CommandContext } from "../../program/command.ts";
import { listOption } from "../../program/list-option.ts";
import { plain, short } from "../../output/terminal.ts";
import {
  changeTask,
  dropTask,
  editOf,
  finishTask,
  withEditOptions,
  type EditOptions,
  type TaskRemoval,
} from "../../edit/task-changes.ts";
import { renderTask, renderTasks } from "../../output/task-lines.ts";
import { wholeNumber } from "../../program/parse-number.ts";
import { taskNotFound } from "../../../pool/list/require-task.ts";
import { release, type ReleaseOptions } from "./task-release.ts";

interface ListOption {
  readonly list?: string;
}

export const build: Build = (builder) => {
  const top = builder.command(
    "task",
    "Add, list, change, release and remove loose tasks: small jobs that need no story. The pool (`saga auto`) does them.",
    [
      'saga task add "Add a login" --description "A page with a form…" --label ui --priority 1',
      "saga task list --state needs-you",
      'saga task release 12 --answer "Use the new form."',
    ],
  );
  const below = (name: string, about: string, ...examples: string[]): Command => {
    const command = builder
      .command(name, about, examples)
      .option("--list <id>", "the task list (default: auto.task_list_id, else the project's own)");
    top.addCommand(command);
    return command;
  };

  builder.action(
    below(
      "add",
      "Add a task to the list.",
      'saga task add "Add a login" -d "A page with a form…"',
      'saga task add "Add a login" --description-file login.md --priority 1',
      'saga task add "Test the login" --blocked-by 3,4 --check "npm test"',
    )
      .argument("<subject>", "the task in one line")
      .option("-d, --description <text>", "all context the agent needs")
      .option("--description-file <file>", "read the description from a file; - is standard input")
      .option("--priority <0-4>", "0 (most urgent) to 4 (default 3)", wholeNumber(0, 4))
      .option("--label <label>", "a label; the context file can have instructions for it")
      .addOption(listOption("--blocked-by <ids...>", "tasks that must be completed first"))
      .option("--check <commands...>", "commands that must succeed"),
    add,
  );
  builder.action(
    below(
      "list",
      "List the tasks in the order in which they are started.",
      "saga task list",
    ).addOption(
      new Option("--state <state>", "only tasks in this state").choices(POOL_TASK_STATES),
    ),
    list,
  );
  builder.action(
    below("show", "Show one task in full.", "saga task show 12").argument("<task-id>", "the task"),
    show,
  );
  builder.action(
    below(
      "release",
      "Return a task to the list: one that is on hold, failed too often, or lost its worker.",
      'saga task release 12 --answer "Use the new form."',
    )
      .argument("<task-id>", "the task")
      .option("--answer <text>", "the answer to its question; - reads it from standard input")
      .option("--force", "release it even if a worker has claimed it"),
    async (context, words, options: ListOption & ReleaseOptions) =>
      release(context, await placeOf(context, options), words, options),
  );
  builder.action(
    withEditOptions(
      below(
        "edit",
        "Change a task that is not claimed.",
        "saga task edit 12 --priority 0",
        'saga task edit 12 --description "…" --label ui',
        'saga task edit 12 --blocked-by ""     wait for no other task',
      ).argument("<task-id>", "the task"),
    ),
    async (context, [id = ""], options: ListOption & EditOptions) => {
      const edit = await editOf(context, options);
      if (edit.subject !== undefined) requireField("The subject", oneLine, edit.subject);
      if (edit.label) requireField("The label", label, edit.label);
      return changeTask(await placeOf(context, options), id, edit);
    },
  );
  builder.action(
    below("done", "Mark a task as completed by hand.", "saga task done 12").argument(
      "<task-id>",
      "the task",
    ),
    async (context, [id = ""], options: ListOption) =>
      finishTask(context, await placeOf(context, options), id),
  );
  builder.action(
    below("rm", "Remove a task from the list. A copy is kept in .saga/removed.", "saga task rm 12")
      .argument("<task-id>", "the task")
      .option("--yes", "do not ask for confirmation")
      .option("--force", "remove it even if other tasks wait for it"),
    async (context, [id = ""], options: ListOption & TaskRemoval) =>
      dropTask(context, await placeOf(context, options), id, options),
  );
  builder.action(
    below(
      "adopt",
      "Assign the list to this repository, even if another one used it before.",
      "saga task adopt",
    ),
    adopt,
  );
  return top;
};

export type ProjectList = PoolLocation & { readonly project: string };

async function anyPlaceOf(
  { io, openProject }: CommandContext,
  { list: listId }: ListOption,
): Promise<ProjectList> {
  const store = openProject();
  const { project } = store;
  return { ...poolLocation(await store.settings(), { project, env: io.env, listId }), project };
}

/** Throws if the list belongs to another repository. */
async function placeOf(context: CommandContext, options: ListOption): Promise<ProjectList> {
  const place = await anyPlaceOf(context, options);
  requireReadable(place, place.project);
  return place;
}

async function adopt(
  context: CommandContext,
  _: string[],
  options: ListOption,
): Promise<CommandResult> {
  const place = await anyPlaceOf(context, options);
  const before = adoptList(place, place.project);
  const from = before === undefined ? undefined : folderOfOwner(before);
  const isSame = from === place.project;
  const moved = from === undefined || isSame ? "" : ` It belonged to ${from} before.`;
  return {
    json: { list: place.listId, folder: place.list, before: before ?? null },
    text: () =>
      `The list ${plain(place.listId)} ${isSame ? "already" : "now"} belongs to this repository.${plain(moved)}\n`,
  };
}

interface AddOptions extends ListOption {
  readonly description?: string;
  readonly descriptionFile?: string;
  readonly priority?: number;
  readonly label?: string;
  readonly blockedBy?: readonly string[];
  readonly check?: readonly string[];
}

async function add(
  context: CommandContext,
  [subject = ""]: string[],
  options: AddOptions,
): Promise<CommandResult> {
  const place = await placeOf(context, options);
  const { listId } = place;
  requireField("The subject", oneLine, subject);
  if (options.label !== undefined) requireField("The label", label, options.label);
  // An empty command would always succeed.
  if (options.check?.some((command) => command.trim() === "") === true) {
    throw new SagaError("usage", "A check is empty.", {
      hint: "Write a command after --check, or leave the option out.",
    });
  }
  const { blockedBy = [] } = options;
  for (const id of blockedBy) if (!isPlainName(id)) throw taskNotFound(id);
  const task = await addTask(place, {
    subject: subject.trim(),
    description: await descriptionOf(context, options),
    priority: options.priority,
    label: options.label,
    checks: options.check,
    blockedBy,
  });
  return {
    json: { list: listId, task },
    text: () => `Added task ${task.id} to ${plain(listId)}: ${short(task.subject)}\n`,
  };
}

async function descriptionOf(
  { io, cwd }: CommandContext,
  { description, descriptionFile }: AddOptions,
): Promise<string> {
  if (description !== undefined && descriptionFile !== undefined) {
    throw new SagaError("usage", "--description and --description-file cannot be combined.", {
      hint: "Use one of them.",
    });
  }
  if (descriptionFile === "-") return (await io.readInput()).trimEnd();
  if (descriptionFile === undefined) return (description ?? "").trimEnd();
  const file = isAbsolute(descriptionFile) ? descriptionFile : join(cwd, descriptionFile);
  try {
    // May be a pipe, from a shell's `<(…)`.
    return readFileSync(file, "utf8").trimEnd();
  } catch (error) {
    const why = errorCode(error) === "ENOENT" ? "does not exist" : readProblem(error);
    throw new SagaError("not-found", `${file} ${why}.`, {
      hint: "Name the file with the description, or - for standard input.",
      cause: error,
    });
  }
}

async function list(
  context: CommandContext,
  _: string[],
  options: ListOption & { readonly state?: PoolTaskState },
): Promise<CommandResult> {
  const place = await placeOf(context, options);
  const { views, problems, board, unseen } = await viewPoolList(place.list, place.project);
  const wanted = views.filter(
    ({ state }) => options.state === undefined || state === options.state,
  );
  return {
    json: {
      list: place.listId,
      folder: place.list,
      tasks: wanted,
      counts: board.counts(),
      problems,
      unseen,
    },
    text: (paint) => renderTasks({ views: wanted, problems, unseen }, paint, Date.now()),
  };
}

async function show(
  context: CommandContext,
  [id = ""]: string[],
  options: ListOption,
): Promise<CommandResult> {
  const place = await placeOf(context, options);
  const { views, tasks } = await viewPoolList(place.list, place.project);
  const view = views.find((one) => one.id === id);
  if (!view) throw taskNotFound(id);
  const found = tasks.get(id);
  return {
    json: { list: place.listId, ...view, task: found?.task ?? null },
    text: (paint) => renderTask(view, detailsOf(found), paint, Date.now()),
  };
}

type Found =
  Awaited<ReturnType<typeof viewPoolList>>["tasks"] extends ReadonlyMap<string, infer One>
    ? One
    : never;

const detailsOf = (found: Found | undefined): Parameters<typeof renderTask>[1] => ({
  description: found?.task.description ?? "",
  checks: found?.pool.checks ?? [],
  blocks: found?.task.blocks ?? [],
  lastFailure: found?.pool.lastFailure,
  answers: found?.pool.answers ?? [],
});

function requireField(name: string, rule: typeof label, value: string): void {
  const { error } = rule.safeParse(value);
  if (!error) return;
  const [problem] = explain(error, value);
  const reason = problem?.reason ?? "cannot have this value";
  throw new SagaError("usage", `${name} ${reason}.`, {
    hint: "See `saga task add --help`.",
  });
}
