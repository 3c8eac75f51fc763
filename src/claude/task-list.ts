// A task list as Claude Code keeps it: one JSON file for each task, written in place under a lock
// that is a folder (`<id>.json.lock`). Whoever else writes there speaks the same protocol, briefly;
// whoever reads there may meet half a file, and looks again.

import {
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { SagaError } from "../errors.ts";
import type { Environment } from "../machine/environment.ts";
import { diskError, errorCode, ifThere, makeFolder, readText } from "../machine/files.ts";
import { claudeTaskSchema, type ClaudeCodeTask } from "../story/claude-task.ts";

/** Claude turns every other character into a dash, and would look elsewhere. */
const PLAIN_NAME = /^[A-Za-z0-9_-]+$/;
/** Claude gives up after about three seconds, and takes a lock over after ten. */
const LOCK_PATIENCE_MS = 5_000;
const LOCK_IS_STALE_MS = 10_000;
/** A write in place takes microseconds; this many looks apart by a few milliseconds are plenty. */
const READ_ATTEMPTS = 10;

export function taskListFolder(env: Environment, listId: string): string {
  if (!PLAIN_NAME.test(listId)) {
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
      writeFileSync(`${aside}/${fileName(task.id)}`, JSON.stringify(task, undefined, 2));
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
  const ids = names
    .filter((name) => name.endsWith(".json"))
    .map((name) => name.slice(0, -5))
    .filter((id) => PLAIN_NAME.test(id));
  const tasks: ClaudeCodeTask[] = [];
  for (const id of ids) {
    const task = await readTask(folder, id);
    if (task) tasks.push(task);
  }
  return tasks;
}

/** Nothing when it is not there, or when it makes no sense for good. */
export async function readTask(folder: string, id: string): Promise<ClaudeCodeTask | undefined> {
  for (let attempt = 1; ; attempt++) {
    const text = ifThere(() => readText(`${folder}/${fileName(id)}`));
    if (text === undefined) return undefined;
    const json = parsed(text);
    if (json !== undefined) return claudeTaskSchema.safeParse(json).data;
    if (attempt === READ_ATTEMPTS) return undefined;
    await wait(attempt);
  }
}

/** Changes one task under Claude's own lock. Unknown fields stay; nothing when it is not there. */
export async function updateTask(
  folder: string,
  id: string,
  change: (task: ClaudeCodeTask) => ClaudeCodeTask,
): Promise<ClaudeCodeTask | undefined> {
  const file = `${folder}/${fileName(id)}`;
  // A lock can only be put into a folder that is there.
  if (!existsSync(file)) return undefined;
  return withTaskLock(file, async () => {
    const task = await readTask(folder, id);
    if (!task) return undefined;
    const after = claudeTaskSchema.parse(change(task));
    const aside = `${folder}/.${id}.${process.pid}.new`;
    try {
      writeFileSync(aside, JSON.stringify(after, undefined, 2));
      renameSync(aside, file);
    } catch (error) {
      rmSync(aside, { force: true });
      throw diskError(error, file);
    }
    return after;
  });
}

async function withTaskLock<T>(file: string, act: () => Promise<T>): Promise<T> {
  const lock = `${file}.lock`;
  const deadline = Date.now() + LOCK_PATIENCE_MS;
  for (let pauseMs = 5; !tryLock(lock); pauseMs = Math.min(pauseMs * 2, 100)) {
    if (Date.now() > deadline) {
      throw new SagaError("in-use", `Claude Code is holding ${lock}.`, {
        hint: "Try again; a lock that nobody holds any more is taken over after ten seconds.",
      });
    }
    await wait(pauseMs);
  }
  try {
    return await act();
  } finally {
    ifThere(() => rmdirSync(lock));
  }
}

function tryLock(lock: string): boolean {
  try {
    mkdirSync(lock);
    return true;
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw diskError(error, lock);
  }
  const takenAt = ifThere(() => statSync(lock).mtimeMs);
  // As Claude does it: whoever removes the stale one still has to win the new one.
  if (takenAt !== undefined && Date.now() - takenAt > LOCK_IS_STALE_MS)
    ifThere(() => rmdirSync(lock));
  return false;
}

function fileName(id: string): string {
  if (PLAIN_NAME.test(id)) return `${id}.json`;
  throw new SagaError("bad-id", `${JSON.stringify(id)} cannot be a task of Claude Code.`);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
