// Deletes a task as Claude Code does: its number is noted so that no other task gets it, and other tasks no longer
// wait for it. Unlike Claude, under the task's lock.

import { closeSync, openSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { diskError, ifThere, syncFolder, writeDurably } from "../../machine/files/files.ts";
import type { ClaudeCodeTask } from "./format.ts";
import { taskFileName, taskIdOf, readTaskFile, type TaskFile } from "./file.ts";
import { updateTask } from "./list.ts";
import { withTaskLock } from "./lock.ts";

/** `keep` gets the task as read under the lock, for example to save it. If it throws, the task stays. */
export async function deleteTask(
  list: string,
  id: string,
  keep: (file: TaskFile) => void | Promise<void>,
): Promise<void> {
  const path = `${list}/${taskFileName(id)}`;
  try {
    await withTaskLock(path, async () => {
      await keep(await readTaskFile(list, id));
      await noteNumber(list, id);
      rmSync(path, { force: true });
    });
    syncFolder(list);
  } catch (error) {
    throw diskError(error, path);
  }
  for (const name of readdirSync(list)) {
    const other = taskIdOf(name);
    if (other !== undefined) await updateTask(list, other, (task) => without(task, id));
  }
}

/** Under the list's lock: creating a task reads this number. */
async function noteNumber(list: string, id: string): Promise<void> {
  if (!/^\d+$/.test(id)) return;
  const gate = `${list}/.lock`;
  closeSync(openSync(gate, "a"));
  await withTaskLock(gate, () => {
    const file = `${list}/.highwatermark`;
    const noted = Number.parseInt(ifThere(() => readFileSync(file, "utf8")) ?? "", 10) || 0;
    if (Number(id) > noted) writeDurably(file, id);
  });
}

/** Returns the same object if it does not name the other task: then nothing is written. */
export function without(task: ClaudeCodeTask, id: string): ClaudeCodeTask {
  const isNamed = task.blockedBy.includes(id) || task.blocks.includes(id);
  return isNamed
    ? {
        ...task,
        blockedBy: task.blockedBy.filter((one) => one !== id),
        blocks: task.blocks.filter((one) => one !== id),
      }
    : task;
}
