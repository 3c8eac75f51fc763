// One task's status, written for good. The worker and the hook scripts come through here, so it reads
// what it needs and no more, and loads no package.

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
    put(lock, file, text, status);
  });
}

/** A status that stands there already is not written again. */
function put(lock: WriteLock, file: string, text: string, status: Status): void {
  const task = parseTask(file, text);
  if (task["status"] === status) requireLockInside(lock);
  else commit(lock, [{ path: file, text: withText(text, "status", status) }]);
}

function parseTask(file: string, text: string): Fields {
  const problem = { file, severity: "error", fix: "Correct it here." } as const;
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
