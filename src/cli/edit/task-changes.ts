// `saga task edit`, `done` and `rm`: changes to a task of the pool.

import { join } from "node:path";
import type { Command } from "commander";
import { taskFileName } from "../../claude/tasks/file.ts";
import { SagaError } from "../../errors.ts";
import { completeTask, editTask, removeTask, type TaskEdit } from "../../pool/list/change-task.ts";
import { keepRemoved } from "../../store/write/remove.ts";
import type { CommandResult, CommandContext } from "../program/command.ts";
import { listOption } from "../program/list-option.ts";
import { plain, short } from "../output/terminal.ts";
import { isYes } from "../program/io.ts";
import { personName } from "../program/person.ts";
import { wholeNumber } from "../program/parse-number.ts";

export interface TaskListPlace {
  readonly list: string;
  readonly listId: string;
  readonly project: string;
}

export interface EditOptions {
  readonly subject?: string;
  readonly description?: string;
  readonly priority?: number;
  readonly label?: string;
  readonly check?: readonly string[];
  readonly blockedBy?: readonly string[];
}

export const withEditOptions = (command: Command): Command =>
  command
    .option("-s, --subject <text>", "the task in one line")
    .option("-d, --description <text>", "all context the agent needs; - reads standard input")
    .option("--priority <0-4>", "0 (most urgent) to 4 (default 3)", wholeNumber(0, 4))
    .option("--label <label>", 'a label; "" removes it')
    .option("--check <commands...>", "commands that must succeed; replaces the current ones")
    .addOption(
      listOption(
        "--blocked-by <ids...>",
        'tasks that must be completed first; replaces the current ones; "" for none',
      ),
    );

/** Turns the options into a change. The caller validates it like a new task. */
export async function editOf({ io }: CommandContext, options: EditOptions): Promise<TaskEdit> {
  const { subject, priority, label, check, blockedBy } = options;
  const description = options.description === "-" ? await io.readInput() : options.description;
  const edit = {
    subject: subject?.trim(),
    description: description?.trimEnd(),
    priority,
    label,
    checks: check?.filter((command) => command.trim() !== ""),
    blockedBy,
  };
  if (Object.values(edit).some((value) => value !== undefined)) return edit;
  throw new SagaError("usage", "Nothing to change.", {
    hint: "Use --subject, --description, --priority, --label, --check or --blocked-by.",
  });
}

export async function changeTask(
  place: TaskListPlace,
  id: string,
  edit: TaskEdit,
): Promise<CommandResult> {
  const task = await editTask(place.list, id, edit);
  return {
    json: { list: place.listId, task },
    text: () => `Changed task ${plain(id)}: ${short(task.subject)}\n`,
  };
}

export async function finishTask(
  context: CommandContext,
  place: TaskListPlace,
  id: string,
): Promise<CommandResult> {
  const task = await completeTask(place.list, id, await personName(context));
  return {
    json: { list: place.listId, task },
    text: () => `Completed task ${plain(id)}: ${short(task.subject)}\n`,
  };
}

export interface TaskRemoval {
  readonly yes?: boolean;
  readonly force?: boolean;
}

export async function dropTask(
  { io }: CommandContext,
  place: TaskListPlace,
  id: string,
  { yes = false, force = false }: TaskRemoval,
): Promise<CommandResult> {
  if (!yes && !io.isTerminal) {
    throw new SagaError(
      "usage",
      `Removing task ${id} needs a confirmation, and this is not a terminal.`,
      {
        hint: `Confirm with \`saga task rm ${id} --yes\`. A copy is kept in .saga/removed.`,
      },
    );
  }
  const isConfirmed = yes || isYes(await io.ask(`Remove task ${plain(id)}? [y/N] `));
  if (!isConfirmed) {
    return {
      json: { list: place.listId, id, isRemoved: false },
      text: () => "Nothing was removed.\n",
      exitCode: 1,
    };
  }
  let copy = "";
  const { dependants } = await removeTask(place.list, id, {
    isForced: force,
    keep: (task) => {
      const text = JSON.stringify(task, undefined, 2);
      copy = keepRemoved(place.project, { name: `task-${id}.json`, text }, Date.now());
    },
  });
  const undo = `cp ${copy} ${join(place.list, taskFileName(id))}`;
  return {
    json: { list: place.listId, id, isRemoved: true, dependants, copy, restore: [undo] },
    text: () =>
      [
        `Removed task ${plain(id)}.`,
        ...(dependants.length === 0 ? [] : [`  changed   ${dependants.join(", ")}`]),
        `  undo      ${plain(undo)}`,
        "",
      ].join("\n"),
  };
}
