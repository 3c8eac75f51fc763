// The folder of the pool's list, and the context file.

import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import type { Environment } from "../machine/processes/environment.ts";
import type { Settings } from "../story/settings/settings.ts";
import { isPlainName } from "../claude/tasks/file.ts";
import { taskListFolder } from "../claude/tasks/list.ts";

export interface ListLocation {
  readonly listId: string;
  /** The folder with its task files. It may not exist yet. */
  readonly list: string;
  /** Set when no setting names the list. */
  readonly isDefault?: true;
}

export interface PoolLocation extends ListLocation {
  readonly contextFile: string;
  /** A remark for the person, shown once. */
  readonly contextNote: string | undefined;
}

interface LocationRequest {
  readonly project: string;
  readonly env: Environment;
  /** Overrides the one in the settings. */
  readonly listId?: string | undefined;
}

export function poolLocation(
  { auto }: Pick<Settings, "auto">,
  context: LocationRequest,
): PoolLocation {
  const listId = context.listId ?? auto.taskListId ?? defaultListId(context.project);
  const list = taskListFolder(context.env, listId, auto.tasksRoot);
  return { listId, list, ...contextFileOf(context.project, auto.contextConfigPath) };
}

/** Contains the project's name: a shared name would mix the tasks of projects. */
function defaultListId(project: string): string {
  const name = basename(project)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "");
  return `${name || "project"}-tasks`;
}

const DEFAULT_CONTEXT = ".claude/saga_task_context.toml";
/** The name in the tool that the pool was modelled on. */
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

/** The project's list, for readers. Undefined when the name in the settings is invalid. */
export function configuredList(
  settings: { readonly auto: Pick<Settings["auto"], "taskListId" | "tasksRoot"> } | undefined,
  { project, env }: Pick<LocationRequest, "project" | "env">,
): ListLocation | undefined {
  if (settings === undefined) return undefined;
  const { taskListId, tasksRoot } = settings.auto;
  const listId = taskListId ?? defaultListId(project);
  if (!isPlainName(listId)) return undefined;
  const list = taskListFolder(env, listId, tasksRoot);
  return { listId, list, ...(taskListId === undefined && { isDefault: true }) };
}

/** The lists that a person sees: the project's own, and those of running pools. */
export function shownLists(
  own: ListLocation | undefined,
  running: readonly { readonly daemon: { readonly list: string; readonly folder: string } }[],
): readonly ListLocation[] {
  const found = new Map<string, ListLocation>();
  for (const { daemon } of running) {
    if (isPlainName(daemon.list)) {
      found.set(daemon.list, { listId: daemon.list, list: daemon.folder });
    }
  }
  if (own) found.set(own.listId, own);
  return [...found.values()];
}
