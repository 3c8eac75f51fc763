// A project with a list of loose tasks, and the output of `saga task`.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { newProject, type Project } from "./project.ts";

export const LIST = ".claude/tasks/chores";

const CONFIG = '[auto]\ntask_list_id = "chores"\n';

export const aLooseTask = (
  id: string,
  more: Record<string, unknown> = {},
): Record<string, unknown> => ({
  id,
  subject: `Task ${id}`,
  description: "",
  status: "pending",
  blocks: [],
  blockedBy: [],
  ...more,
});

/** Its home is its own folder, so the list of Claude Code is in there. */
export function withTasks(...tasks: readonly Record<string, unknown>[]): Project {
  const project = newProject();
  project.write(".saga/config.toml", CONFIG);
  mkdirSync(join(project.path, LIST), { recursive: true });
  for (const task of tasks) project.write(`${LIST}/${String(task["id"])}.json`, task);
  return project;
}

interface Shown {
  readonly id: string;
  readonly state: string;
  readonly why?: string;
  readonly owner?: string;
  readonly since?: string;
  readonly waitsFor: readonly string[];
}

export async function shown(project: Project, ...words: string[]): Promise<readonly Shown[]> {
  const { json } = await project.saga("task", "list", "--json", ...words);
  return (json() as unknown as { readonly tasks: readonly Shown[] }).tasks;
}
