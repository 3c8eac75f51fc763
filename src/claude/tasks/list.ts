// A task list as Claude Code keeps it: one JSON file per task, written in place under a lock that is a folder
// (`<id>.json.lock`). Saga uses the same protocol to write, and holds locks briefly. A reader may find a
// partly written file, and reads again.

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

/** `root`: the folder of all lists, if not Claude Code's own. */
export function taskListFolder(env: Environment, listId: string, root?: string): string {
  if (!isPlainName(listId)) {
    throw new SagaError("bad-id", `${JSON.stringify(listId)} is not the name of a task list.`, {
      hint: "Use letters, digits, - and _.",
    });
  }
  const home = env["HOME"] || homedir();
  if (root !== undefined) return join(root.replace(/^~(?=\/)/, home), listId);
  return join(env["CLAUDE_CONFIG_DIR"] || join(home, ".claude"), "tasks", listId);
}

/** Creates all tasks or none: the list appears in one rename. */
export function createTaskList(folder: string, tasks: readonly ClaudeCodeTask[]): void {
  const draft = draftOf(folder);
  try {
    // The list need not survive a power cut: the story's files do.
    makeFolder(draft, { isDurable: false });
    for (const task of tasks) {
      writeFileSync(`${draft}/${taskFileName(task.id)}`, JSON.stringify(task, undefined, 2));
    }
    renameSync(draft, folder);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    throw diskError(error, folder);
  }
}

/** Also removes an unfinished one. */
export function removeTaskList(folder: string): void {
  for (const path of [draftOf(folder), folder]) rmSync(path, { recursive: true, force: true });
}

/** A fixed name, so that the next worker finds it after a crash: one worker creates each list, once. */
const draftOf = (folder: string): string => `${folder}.new`;

/** The tasks that Claude sees; files that Claude ignores are left out. */
export async function readTaskList(folder: string): Promise<ClaudeCodeTask[]> {
  const names = ifThere(() => readdirSync(folder)) ?? [];
  const tasks: ClaudeCodeTask[] = [];
  for (const id of names.map(taskIdOf)) {
    const task = id === undefined ? undefined : await readTask(folder, id);
    if (task) tasks.push(task);
  }
  return tasks;
}

/** Undefined if it does not exist or is not a valid task. */
export async function readTask(folder: string, id: string): Promise<ClaudeCodeTask | undefined> {
  const file = await readTaskFile(folder, id);
  return file.kind === "task" ? file.task : undefined;
}

export interface WriteOptions extends LockOptions {
  /** The write survives a power cut. */
  readonly isDurable?: boolean | undefined;
}

/** Changes one task under Claude's lock. Unknown fields stay. Returns undefined if it does not exist. */
export async function updateTask(
  folder: string,
  id: string,
  change: (task: ClaudeCodeTask) => ClaudeCodeTask,
  options: WriteOptions = {},
): Promise<ClaudeCodeTask | undefined> {
  const decide = (file: TaskFile) => (file.kind === "task" ? change(file.task) : undefined);
  return (await rewriteTask(folder, id, decide, options)).written;
}

export interface RewriteResult {
  /** The file as read under the lock. */
  readonly found: TaskFile;
  /** The new task; undefined if the file was left unchanged. */
  readonly written?: ClaudeCodeTask | undefined;
}

type DecideTask = (
  file: TaskFile,
) => ClaudeCodeTask | undefined | Promise<ClaudeCodeTask | undefined>;

/**
 * Replaces a task under Claude's lock. `decide` returns the new task, or undefined to leave it unchanged.
 *
 * A durable write takes a thousand times as long as a rename. So it is written before the lock is taken, from
 * the task as it is then, and used if the task has not changed in the meantime. `decide` may therefore be
 * called twice; only its last answer counts.
 */
export async function rewriteTask(
  folder: string,
  id: string,
  decide: DecideTask,
  { isDurable = false, ...lock }: WriteOptions = {},
): Promise<RewriteResult> {
  const path = `${folder}/${taskFileName(id)}`;
  // A lock can only be created in a folder that exists.
  if (!existsSync(path)) return { found: { kind: "gone" } };
  const draft = newDraftFile(folder, id);
  let isMoved = false;
  try {
    const prepared = isDurable
      ? await prepare(draft, await readTaskFile(folder, id), decide)
      : undefined;
    const rewritten = await withTaskLock(
      path,
      async () => {
        const found = await readTaskFile(folder, id);
        const after = await decide(found);
        if (!after) return { found };
        const written = claudeTaskSchema.parse(after);
        const text = asText(written);
        if (text !== prepared) writeDraft(draft, text, isDurable);
        renameSync(draft, path);
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
    if (!isMoved) rmSync(draft, { force: true });
  }
}

async function prepare(
  draft: string,
  found: TaskFile,
  decide: DecideTask,
): Promise<string | undefined> {
  const after = await decide(found);
  if (!after) return undefined;
  const text = asText(claudeTaskSchema.parse(after));
  writeDraft(draft, text, true);
  return text;
}

function writeDraft(draft: string, text: string, isDurable: boolean): void {
  if (isDurable) writeAndSync(draft, text);
  else writeFileSync(draft, text);
}

const asText = (task: ClaudeCodeTask): string => JSON.stringify(task, undefined, 2);

/** A unique name with a leading dot: neither Claude nor Saga reads it as a task. */
const newDraftFile = (folder: string, id: string): string =>
  `${folder}/.${id}.${process.pid}.${Math.random().toString(36).slice(2)}.new`;

/** Other fields get the values that Claude gives to a new task. */
export interface NewTask extends Partial<
  Pick<ClaudeCodeTask, "activeForm" | "status" | "owner" | "blocks" | "blockedBy" | "metadata">
> {
  readonly subject: string;
  readonly description: string;
}

/** Creates a task as Claude's TaskCreate does: with the next number, under the lock of the list. */
export async function createTask(
  folder: string,
  fields: NewTask,
  { isDurable = true, ...lock }: WriteOptions = {},
): Promise<ClaudeCodeTask> {
  makeFolder(folder, { isDurable });
  const gate = `${folder}/.lock`;
  // Claude creates this file, never reads it and never removes it: it only gives the lock its name.
  closeSync(openSync(gate, "a"));
  const draft = newDraftFile(folder, "new");
  try {
    const made = await withTaskLock(gate, () => makeNext(folder, draft, fields, isDurable), lock);
    if (isDurable) syncFolder(folder);
    return made;
  } catch (error) {
    throw diskError(error, folder);
  } finally {
    rmSync(draft, { force: true });
  }
}

function makeNext(
  folder: string,
  draft: string,
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
    writeDraft(draft, asText(task), isDurable);
    try {
      // Not a rename: if this process slept and lost its lock, it must not replace another's task.
      linkSync(draft, `${folder}/${taskFileName(task.id)}`);
      return task;
    } catch (error) {
      if (errorCode(error) !== "EEXIST") throw error;
    }
  }
}

/** The highest number ever used: Claude notes the highest that was deleted. */
function highestNumber(folder: string): number {
  const deleted = leadingNumber(ifThere(() => readText(`${folder}/.highwatermark`)) ?? "");
  const names = readdirSync(folder).filter((name) => name.endsWith(".json"));
  return names.reduce((highest, name) => Math.max(highest, leadingNumber(name)), deleted);
}

/** Claude counts `12-foo.json` as 12. */
const leadingNumber = (text: string): number =>
  Number(/^\s*(?<digits>\d+)/.exec(text)?.groups?.["digits"] ?? 0);
