// What an agent of the pool may write with TaskCreate and TaskUpdate, judged before it is written: one invalid field
// would stop the whole pool. An agent may not set a task's owner or status, nor change tasks of others.

import { readList } from "../../tasks/read-list.ts";
import type { ScopeVerdict } from "../../agent/scope/scope.ts";
import type { ClaudeCodeTask } from "../../claude/tasks/format.ts";
import type { PoolListing } from "../../tasks/listing.ts";
import type { PoolProblem } from "../../tasks/problem.ts";
import { poolTaskOf } from "../../tasks/task.ts";

export interface TaskCall {
  readonly tool: "TaskCreate" | "TaskUpdate";
  readonly input: unknown;
}

export interface TaskCallContext {
  /** The folder of the list. */
  readonly list: string;
  /** The tasks that this run has created. */
  readonly made: ReadonlySet<string>;
}

export async function judgeTaskCall(
  call: TaskCall,
  context: TaskCallContext,
): Promise<ScopeVerdict> {
  const why = whyNotAllowed(call, context.made) ?? whyBroken(call, await readList(context.list));
  return why === undefined ? { isAllowed: true } : { isAllowed: false, reason: why };
}

export const SAGA_SETS_IT = "Saga sets the status when the work is merged: call finish.";

/** The fields of another's task that may be changed: what it waits for, and what waits for it. */
const LINKS: ReadonlySet<string> = new Set(["taskId", "addBlocks", "addBlockedBy"]);

function whyNotAllowed({ tool, input }: TaskCall, made: ReadonlySet<string>): string | undefined {
  const fields = fieldsOf(input);
  if (fields["status"] !== undefined || fields["owner"] !== undefined) return SAGA_SETS_IT;
  const metadata = fieldsOf(fields["metadata"]);
  if ("saga" in metadata) return "`saga` in a task's metadata belongs to Saga. Leave it out.";
  if ("checks" in metadata) return "Leave `checks` out of the metadata: only people write checks.";
  for (const name of ["addBlocks", "addBlockedBy"]) {
    if (!isIds(fields[name] ?? [])) return `\`${name}\` must be a list of ids.`;
  }
  const taskId = fields["taskId"];
  if (tool === "TaskCreate" || (typeof taskId === "string" && made.has(taskId))) return undefined;
  const isMore = Object.keys(fields).some((name) => !LINKS.has(name) && fields[name] !== undefined);
  return isMore
    ? "You may only change tasks that you created. For any other task you may only set what it waits for, with addBlockedBy and addBlocks."
    : undefined;
}

/** A problem that the list would have after the call, and does not have now. */
function whyBroken(call: TaskCall, { tasks, board, broken }: PoolListing): string | undefined {
  const fields = fieldsOf(call.input);
  const unknown = [...idsIn(fields["addBlocks"]), ...idsIn(fields["addBlockedBy"])].find(
    (id) => !tasks.has(id) && !broken.has(id),
  );
  if (unknown !== undefined) return `There is no task ${unknown}.`;
  const before = new Set(board.problems().map(keyOf));
  for (const task of changedBy(call, tasks)) {
    const read = poolTaskOf(task, 0);
    if (read.problem !== undefined) return read.problem;
    board.put(task.id, read.task);
  }
  return board.problems().find((problem) => !before.has(keyOf(problem)))?.message;
}

const keyOf = ({ kind, message }: PoolProblem): string => `${kind} ${message}`;

function changedBy({ tool, input }: TaskCall, tasks: PoolListing["tasks"]): ClaudeCodeTask[] {
  const fields = fieldsOf(input);
  if (tool === "TaskCreate") return [{ ...NEW, metadata: withChanges({}, fields["metadata"]) }];
  const taskId = String(fields["taskId"]);
  const found = tasks.get(taskId)?.task;
  // Claude Code itself reports an unknown task.
  if (!found) return [];
  const metadata = withChanges(found.metadata ?? {}, fields["metadata"]);
  const changed = new Map<string, ClaudeCodeTask>([[taskId, { ...found, metadata }]]);
  const addBlocker = (id: string, blocker: string): void => {
    const task = changed.get(id) ?? tasks.get(id)?.task;
    if (task) changed.set(id, { ...task, blockedBy: [...task.blockedBy, blocker] });
  };
  for (const blocker of idsIn(fields["addBlockedBy"])) addBlocker(taskId, blocker);
  for (const id of idsIn(fields["addBlocks"])) addBlocker(id, taskId);
  return [...changed.values()];
}

/** Under an id that no task has: Claude Code will give it a number. */
const NEW: ClaudeCodeTask = {
  id: "",
  subject: "",
  description: "",
  status: "pending",
  blocks: [],
  blockedBy: [],
};

/** Merges the keys as Claude Code does: `null` removes one. */
const withChanges = (before: Fields, change: unknown): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries({ ...before, ...fieldsOf(change) }).filter(([, value]) => value !== null),
  );

interface Fields {
  readonly [name: string]: unknown;
}

const fieldsOf = (input: unknown): Fields =>
  typeof input === "object" && input !== null ? (input as Fields) : {};

const isIds = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((id) => typeof id === "string");

const idsIn = (value: unknown): readonly string[] => (isIds(value) ? value : []);
