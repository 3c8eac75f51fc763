// A task list as Claude Code keeps it: one JSON file for each task, written in place under a lock
// that is a folder (`<id>.json.lock`). Whoever else writes there speaks the same protocol, briefly;
// whoever reads there may meet half a file, and looks again.

import {
  closeSync,
  existsSync,
  linkSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { SagaError } from "../../errors.ts";
import type { Environment } from "../../machine/processes/environment.ts";
import {
  diskError,
  errorCode,
  ifThere,
  makeFolder,
  readText,
  syncFolder,
  writeAndSync,
} from "../../machine/files/files.ts";
import { claudeTaskSchema, type ClaudeCodeTask } from "./format.ts";
import { isPlainName, readTaskFile, taskFileName, taskIdOf, type TaskFile } from "./file.ts";
import { withTaskLock, type LockOptions } from "./lock.ts";

export function taskListFolder(env: Environment, listId: string): string {
  if (!isPlainName(listId)) {
    throw new SagaError("bad-id", `${JSON.stringify(listId)} is not the name of a task list.`);
  }
  const config = env["CLAUDE_CONFIG_DIR"] || join(env["HOME"] || homedir(), ".claude");
  return join(config, "tasks", listId);
}

/** All of them or none: the list appears whole, in one rename. */
export function createTaskList(folder: string, tasks: readonly ClaudeCodeTask[]): void {
  const aside = asideOf(folder);
  try {
    // Nothing here has to survive a power cut: the story's own files do.
    makeFolder(aside, { isDurable: false });
    for (const task of tasks) {
      writeFileSync(`${aside}/${taskFileName(task.id)}`, JSON.stringify(task, undefined, 2));
    }
    renameSync(aside, folder);
  } catch (error) {
    rmSync(aside, { recursive: true, force: true });
    throw diskError(error, folder);
  }
}

/** Also one that was not finished. */
export function removeTaskList(folder: string): void {
  for (const path of [asideOf(folder), folder]) rmSync(path, { recursive: true, force: true });
}

/** Known to whoever comes after a crash: each list is made by one worker, once. */
const asideOf = (folder: string): string => `${folder}.new`;

/** Every task that Claude would see; what it would not see is left out here as well. */
export async function readTaskList(folder: string): Promise<ClaudeCodeTask[]> {
  const names = ifThere(() => readdirSync(folder)) ?? [];
  const tasks: ClaudeCodeTask[] = [];
  for (const id of names.map(taskIdOf)) {
    const task = id === undefined ? undefined : await readTask(folder, id);
    if (task) tasks.push(task);
  }
  return tasks;
}

/** Nothing when it is not there, or when it makes no sense for good. */
export async function readTask(folder: string, id: string): Promise<ClaudeCodeTask | undefined> {
  const file = await readTaskFile(folder, id);
  return file.kind === "task" ? file.task : undefined;
}

export interface WriteOptions extends LockOptions {
  /** It survives a power cut. */
  readonly isDurable?: boolean | undefined;
}

/** Changes one task under Claude's own lock. Unknown fields stay; nothing when it is not there. */
export async function updateTask(
  folder: string,
  id: string,
  change: (task: ClaudeCodeTask) => ClaudeCodeTask,
  options: WriteOptions = {},
): Promise<ClaudeCodeTask | undefined> {
  const decide = (file: TaskFile) => (file.kind === "task" ? change(file.task) : undefined);
  return (await rewriteTask(folder, id, decide, options)).written;
}

export interface Rewritten {
  /** What was found there under the lock. */
  readonly found: TaskFile;
  /** What is there now; nothing when it was left as it was. */
  readonly written?: ClaudeCodeTask | undefined;
}

/**
 * Decides under Claude's lock what becomes of a task: something new, or nothing to leave it as it is.
 *
 * What survives a power cut takes a thousand times as long to write as to rename. So it is written before
 * the lock is taken, for what the task is then, and used when that is still what it is. `decide` may
 * therefore be asked twice; only its last answer counts.
 */
export async function rewriteTask(
  folder: string,
  id: string,
  decide: (file: TaskFile) => ClaudeCodeTask | undefined,
  { isDurable = false, ...lock }: WriteOptions = {},
): Promise<Rewritten> {
  const path = `${folder}/${taskFileName(id)}`;
  // A lock can only be put into a folder that is there.
  if (!existsSync(path)) return { found: { kind: "gone" } };
  const aside = newAside(folder, id);
  let isMoved = false;
  try {
    const prepared = isDurable ? prepare(aside, await readTaskFile(folder, id), decide) : undefined;
    const rewritten = await withTaskLock(
      path,
      async () => {
        const found = await readTaskFile(folder, id);
        const after = decide(found);
        if (!after) return { found };
        const written = claudeTaskSchema.parse(after);
        const text = asText(written);
        if (text !== prepared) writeAside(aside, text, isDurable);
        renameSync(aside, path);
        isMoved = true;
        return { found, written };
      },
      lock,
    );
    if (rewritten.written && isDurable) syncFolder(folder);
    return rewritten;
  } catch (error) {
    throw diskError(error, path);
  } finally {
    if (!isMoved) rmSync(aside, { force: true });
  }
}

function prepare(
  aside: string,
  found: TaskFile,
  decide: (file: TaskFile) => ClaudeCodeTask | undefined,
): string | undefined {
  const after = decide(found);
  if (!after) return undefined;
  const text = asText(claudeTaskSchema.parse(after));
  writeAside(aside, text, true);
  return text;
}

function writeAside(aside: string, text: string, isDurable: boolean): void {
  if (isDurable) writeAndSync(aside, text);
  else writeFileSync(aside, text);
}

const asText = (task: ClaudeCodeTask): string => JSON.stringify(task, undefined, 2);

/** With a dot in front, where neither Claude nor we look for tasks; never the same twice. */
const newAside = (folder: string, id: string): string =>
  `${folder}/.${id}.${process.pid}.${Math.random().toString(36).slice(2)}.new`;

/** What is not said is as Claude begins a task. */
export interface NewTask extends Partial<
  Pick<ClaudeCodeTask, "activeForm" | "status" | "owner" | "blocks" | "blockedBy" | "metadata">
> {
  readonly subject: string;
  readonly description: string;
}

/** Makes one as Claude's own TaskCreate does: with the next number, under the lock for that. */
export async function createTask(
  folder: string,
  fields: NewTask,
  { isDurable = true, ...lock }: WriteOptions = {},
): Promise<ClaudeCodeTask> {
  makeFolder(folder, { isDurable });
  const gate = `${folder}/.lock`;
  // Claude makes it, never looks into it and never removes it: it only gives the lock its name.
  closeSync(openSync(gate, "a"));
  const aside = newAside(folder, "new");
  try {
    const made = await withTaskLock(gate, () => makeNext(folder, aside, fields, isDurable), lock);
    if (isDurable) syncFolder(folder);
    return made;
  } catch (error) {
    throw diskError(error, folder);
  } finally {
    rmSync(aside, { force: true });
  }
}

function makeNext(
  folder: string,
  aside: string,
  fields: NewTask,
  isDurable: boolean,
): ClaudeCodeTask {
  for (let number = highestNumber(folder) + 1; ; number++) {
    const task = claudeTaskSchema.parse({
      status: "pending",
      blocks: [],
      blockedBy: [],
      ...fields,
      id: String(number),
    });
    writeAside(aside, asText(task), isDurable);
    try {
      // Not a rename: whoever lost this lock to someone else while it slept replaces nothing.
      linkSync(aside, `${folder}/${taskFileName(task.id)}`);
      return task;
    } catch (error) {
      if (errorCode(error) !== "EEXIST") throw error;
    }
  }
}

/** Of all that are there or were: Claude notes the highest that it has deleted. */
function highestNumber(folder: string): number {
  const deleted = leadingNumber(ifThere(() => readText(`${folder}/.highwatermark`)) ?? "");
  const names = readdirSync(folder).filter((name) => name.endsWith(".json"));
  return names.reduce((highest, name) => Math.max(highest, leadingNumber(name)), deleted);
}

/** `12-foo.json` counts as 12, as Claude counts it. */
const leadingNumber = (text: string): number =>
  Number(/^\s*(?<digits>\d+)/.exec(text)?.groups?.["digits"] ?? 0);
