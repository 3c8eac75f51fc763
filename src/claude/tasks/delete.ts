// Removes a task from a list the way Claude Code does: its number is noted, so that it is never given to another
// task, and the others do not wait for it any more. Unlike Claude, under the task's lock.

import { closeSync, openSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { diskError, ifThere, syncFolder, writeDurably } from "../../machine/files/files.ts";
import type { ClaudeCodeTask } from "./format.ts";
import { taskFileName, taskIdOf, readTaskFile, type TaskFile } from "./file.ts";
import { updateTask } from "./list.ts";
import { withTaskLock } from "./lock.ts";

/** `keep` is given the task as it is under the lock, and may refuse by throwing. */
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

/** Under the lock for making tasks: whoever makes one reads this number. */
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

/** The same task where it never named the other: then nothing is written. */
function without(task: ClaudeCodeTask, id: string): ClaudeCodeTask {
  const isNamed = task.blockedBy.includes(id) || task.blocks.includes(id);
  return isNamed
    ? {
        ...task,
        blockedBy: task.blockedBy.filter((one) => one !== id),
        blocks: task.blocks.filter((one) => one !== id),
      }
    : task;
}
