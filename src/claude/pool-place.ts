// Where the list of the pool is, and its context file.

import { homedir } from "node:os";
import { join } from "node:path";
import { SagaError } from "../errors.ts";
import type { Environment } from "../machine/environment.ts";
import type { Settings } from "../story/settings.ts";
import { isPlainName } from "./task-file.ts";
import { taskListFolder } from "./task-list.ts";

export interface ListPlace {
  readonly listId: string;
  /** The folder with its task files. It need not be there yet. */
  readonly list: string;
}

export interface PoolPlace extends ListPlace {
  readonly contextFile: string;
}

interface Around {
  readonly project: string;
  readonly env: Environment;
  /** Instead of the one in the settings. */
  readonly listId?: string | undefined;
}

export function poolPlace({ auto }: Pick<Settings, "auto">, around: Around): PoolPlace {
  const listId = around.listId ?? auto.taskListId;
  if (listId === undefined) {
    throw new SagaError("bad-setting", "This project has no task list for the pool.", {
      hint: "Name one: `saga config set auto.task_list_id chores`.",
    });
  }
  const contextFile = join(around.project, auto.contextConfigPath);
  return { listId, list: folderOf(listId, auto.tasksRoot, around.env), contextFile };
}

/** The list that the settings name, for whoever only looks on: nothing when there is none. */
export function settledList(
  settings: { readonly auto: Pick<Settings["auto"], "taskListId" | "tasksRoot"> } | undefined,
  env: Environment,
): ListPlace | undefined {
  const { taskListId: listId, tasksRoot } = settings?.auto ?? {};
  if (listId === undefined || !isPlainName(listId)) return undefined;
  return { listId, list: folderOf(listId, tasksRoot, env) };
}

function folderOf(listId: string, root: string | undefined, env: Environment): string {
  if (root === undefined) return taskListFolder(env, listId);
  if (!isPlainName(listId)) {
    throw new SagaError("bad-id", `${JSON.stringify(listId)} is not the name of a task list.`);
  }
  return join(root.replace(/^~(?=\/)/, env["HOME"] || homedir()), listId);
}
