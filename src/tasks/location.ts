// Where the list of the pool is, and its context file.

import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { basename, join } from "node:path";
import { SagaError } from "../errors.ts";
import type { Environment } from "../machine/processes/environment.ts";
import type { Settings } from "../story/settings/settings.ts";
import { isPlainName } from "../claude/tasks/file.ts";
import { taskListFolder } from "../claude/tasks/list.ts";

export interface ListLocation {
  readonly listId: string;
  /** The folder with its task files. It need not be there yet. */
  readonly list: string;
  /** No setting names it. */
  readonly isDefault?: true;
}

export interface PoolLocation extends ListLocation {
  readonly contextFile: string;
  /** What to tell a person about it, once. */
  readonly contextNote: string | undefined;
}

interface LocationRequest {
  readonly project: string;
  readonly env: Environment;
  /** Instead of the one in the settings. */
  readonly listId?: string | undefined;
}

export function poolLocation(
  { auto }: Pick<Settings, "auto">,
  around: LocationRequest,
): PoolLocation {
  const listId = around.listId ?? auto.taskListId ?? defaultListId(around.project);
  const list = folderOf(listId, auto.tasksRoot, around.env);
  return { listId, list, ...contextFileOf(around.project, auto.contextConfigPath) };
}

/** The project's own: a name that all projects share would mix their tasks. */
function defaultListId(project: string): string {
  const name = basename(project)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "");
  return `${name || "project"}-tasks`;
}

const DEFAULT_CONTEXT = ".claude/saga_task_context.toml";
/** The name in the design that the pool comes from. */
const OTHER_CONTEXT = ".claude/llmc_task_context.toml";

function contextFileOf(
  project: string,
  path: string,
): Pick<PoolLocation, "contextFile" | "contextNote"> {
  const contextFile = join(project, path);
  const other = join(project, OTHER_CONTEXT);
  if (path !== DEFAULT_CONTEXT || existsSync(contextFile) || !existsSync(other)) {
    return { contextFile, contextNote: undefined };
  }
  const contextNote = `Reading ${OTHER_CONTEXT}, because there is no ${DEFAULT_CONTEXT}.`;
  return { contextFile: other, contextNote };
}

/** The project's list, for those who only read. Undefined when the settings name something that is not a list. */
export function configuredList(
  settings: { readonly auto: Pick<Settings["auto"], "taskListId" | "tasksRoot"> } | undefined,
  { project, env }: Pick<LocationRequest, "project" | "env">,
): ListLocation | undefined {
  if (settings === undefined) return undefined;
  const { taskListId, tasksRoot } = settings.auto;
  const listId = taskListId ?? defaultListId(project);
  if (!isPlainName(listId)) return undefined;
  const list = folderOf(listId, tasksRoot, env);
  return { listId, list, ...(taskListId === undefined && { isDefault: true }) };
}

function folderOf(listId: string, root: string | undefined, env: Environment): string {
  if (root === undefined) return taskListFolder(env, listId);
  if (!isPlainName(listId)) {
    throw new SagaError("bad-id", `${JSON.stringify(listId)} is not the name of a task list.`);
  }
  return join(root.replace(/^~(?=\/)/, env["HOME"] || homedir()), listId);
}
