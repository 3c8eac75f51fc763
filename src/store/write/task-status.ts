// Writes the status of one task. Hook scripts use it too, so it reads little and loads no package.

import { dirname, join } from "node:path";
import { readOwnTextIfThere } from "../../machine/files/files.ts";
import { requireId } from "../../story/definition/names.ts";
import { isStatus, type Status } from "../../story/definition/status.ts";
import { withText, type Fields } from "../project/json-text.ts";
import type { Layout, WriteLock } from "../project/layout.ts";
import { brokenFiles, notFound, requireLockInside } from "../project/require.ts";
import { storyFolder } from "./story-folder.ts";
import { commit } from "./transaction.ts";
import { withFolderLock } from "./write-lock.ts";

export async function writeTaskStatus(
  at: Layout,
  storyId: string,
  taskId: string,
  status: Status,
): Promise<void> {
  const name = `${requireId("task", taskId)}.json`;
  return withFolderLock(at, storyFolder(at, storyId), (lock) => {
    const file = join(dirname(lock.file), name);
    const text = readOwnTextIfThere(file);
    if (text === undefined) throw notFound("task", `${storyId}/${taskId}`);
    write(lock, file, text, status);
  });
}

/** Does not write a status that is already set. */
function write(lock: WriteLock, file: string, text: string, status: Status): void {
  const task = parseTask(file, text);
  if (task["status"] === status) requireLockInside(lock);
  else commit(lock, [{ path: file, text: withText(text, "status", status) }]);
}

function parseTask(file: string, text: string): Fields {
  const problem = { file, severity: "error", fix: "Fix it in this file." } as const;
  let task: unknown;
  try {
    task = JSON.parse(text);
  } catch (error) {
    throw brokenFiles([{ ...problem, message: `This is not valid JSON: ${String(error)}` }]);
  }
  if (typeof task !== "object" || task === null || typeof Reflect.get(task, "id") !== "string") {
    throw brokenFiles([{ ...problem, message: "This is not a task." }]);
  }
  const { status } = task as Fields;
  if (status !== undefined && !isStatus(status)) {
    throw brokenFiles([{ ...problem, message: `${JSON.stringify(status)} is not a status.` }]);
  }
  return task as Fields;
}
