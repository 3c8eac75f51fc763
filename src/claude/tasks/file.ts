// Reads one of Claude's task files, and says why if it is not a task. Claude writes in place, so a reader may find
// a partly written file, and reads again.

import { readdirSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { SagaError } from "../../errors.ts";
import { errorCode, ifThere, readProblem } from "../../machine/files/files.ts";
import { readRegularFile } from "../../machine/files/bounded-file.ts";
import { claudeTaskSchema, type ClaudeCodeTask } from "./format.ts";
import { explain } from "../../story/definition/explain-error.ts";

export type TaskFile =
  | { readonly kind: "task"; readonly task: ClaudeCodeTask }
  | { readonly kind: "gone" }
  /** `message` says why it is not a task, as a sentence. */
  | {
      readonly kind: "unreadable" | "invalid-json" | "invalid-task";
      readonly message: string;
    };

/** Claude replaces every other character by a dash, and would read another file. */
const PLAIN_NAME = /^[A-Za-z0-9_-]+$/;
/** A write takes microseconds: this many reads, milliseconds apart, are plenty. */
const READ_ATTEMPTS = 10;

/** A hundred times the largest real task. Lists are read often and completely. */
export const MAX_TASK_BYTES = 4 * 1024 * 1024;

export const isPlainName = (name: string): boolean => PLAIN_NAME.test(name);

export function taskFileName(id: string): string {
  if (isPlainName(id)) return `${id}.json`;
  throw new SagaError("bad-id", `${JSON.stringify(id)} cannot be the id of a task in Claude Code.`);
}

/** The id of the task in a file of this name; undefined if Claude would ignore the file. */
export function taskIdOf(name: string): string | undefined {
  if (!name.endsWith(".json")) return undefined;
  const id = name.slice(0, -5);
  return isPlainName(id) ? id : undefined;
}

/** A list that does not exist is empty. */
export const taskIdsIn = (list: string): string[] =>
  (ifThere(() => readdirSync(list)) ?? []).flatMap((name) => taskIdOf(name) ?? []);

export async function readTaskFile(folder: string, id: string): Promise<TaskFile> {
  const path = `${folder}/${taskFileName(id)}`;
  for (let attempt = 1; ; attempt++) {
    const file = readOnce(path, id);
    if (file.kind !== "invalid-json" || attempt === READ_ATTEMPTS) return file;
    await wait(attempt);
  }
}

function readOnce(path: string, id: string): TaskFile {
  let text: string;
  try {
    text = readRegularFile(path, MAX_TASK_BYTES);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return { kind: "gone" };
    return { kind: "unreadable", message: `${path} ${readProblem(error)}.` };
  }
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { kind: "invalid-json", message: `${path} is not JSON: ${why}.` };
  }
  return judge(path, id, withoutEmptyOwner(json));
}

function judge(path: string, id: string, json: unknown): TaskFile {
  const read = claudeTaskSchema.safeParse(json);
  if (!read.success) {
    const why = explain(read.error, json).map(({ message }) => message);
    return { kind: "invalid-task", message: `${path} is not a task. ${why.join(" ")}` };
  }
  if (read.data.id === id) return { kind: "task", task: read.data };
  const inner = JSON.stringify(read.data.id);
  return { kind: "invalid-task", message: `${path} is not a task. Its \`id\` is ${inner}.` };
}

/** Other programs write `null` for no owner. Claude ignores such a task, but the meaning is clear. */
function withoutEmptyOwner(json: unknown): unknown {
  if (typeof json !== "object" || json === null || !("owner" in json)) return json;
  const { owner, ...others } = json;
  return owner === null ? others : json;
}
