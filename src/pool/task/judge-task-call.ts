// What an agent of the pool may say with TaskCreate and TaskUpdate, judged before it is written: one wrong
// field would stop the whole pool. Who works on a task, whether it counts and what others are told to do
// is not for an agent to say.

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

export interface AroundTaskCall {
  /** The folder of the list. */
  readonly list: string;
  /** The tasks that this run has made. */
  readonly made: ReadonlySet<string>;
}

export async function judgeTaskCall(call: TaskCall, around: AroundTaskCall): Promise<ScopeVerdict> {
  const why = whyNotSaid(call, around.made) ?? whyBroken(call, await readList(around.list));
  return why === undefined ? { isAllowed: true } : { isAllowed: false, reason: why };
}

export const SAGA_SETS_IT = "Saga sets the status when the work is merged: call finish.";

/** What of another's task may be said: what has to be done before it, and after. */
const LINKS: ReadonlySet<string> = new Set(["taskId", "addBlocks", "addBlockedBy"]);

function whyNotSaid({ tool, input }: TaskCall, made: ReadonlySet<string>): string | undefined {
  const fields = fieldsOf(input);
  if (fields["status"] !== undefined || fields["owner"] !== undefined) return SAGA_SETS_IT;
  const metadata = fieldsOf(fields["metadata"]);
  if ("saga" in metadata) return "`saga` in a task's metadata is Saga's own. Leave it out.";
  if ("checks" in metadata)
    return "Leave `checks` out of the metadata: checks are for people to write.";
  for (const name of ["addBlocks", "addBlockedBy"]) {
    if (!isIds(fields[name] ?? [])) return `\`${name}\` must be a list of ids.`;
  }
  const taskId = fields["taskId"];
  if (tool === "TaskCreate" || (typeof taskId === "string" && made.has(taskId))) return undefined;
  const isMore = Object.keys(fields).some((name) => !LINKS.has(name) && fields[name] !== undefined);
  return isMore
    ? "Only tasks that you made yourself are yours to change. Of any other you may only say what it waits for, with addBlockedBy and addBlocks."
    : undefined;
}

/** What would be wrong with the list afterwards, and is not now. */
function whyBroken(call: TaskCall, { tasks, board, broken }: PoolListing): string | undefined {
  const fields = fieldsOf(call.input);
  const unknown = [...idsIn(fields["addBlocks"]), ...idsIn(fields["addBlockedBy"])].find(
    (id) => !tasks.has(id) && !broken.has(id),
  );
  if (unknown !== undefined) return `There is no task ${unknown}.`;
  const before = new Set(board.problems().map(keyOf));
  for (const task of changedBy(call, tasks)) {
    const read = poolTaskOf(task, 0);
    if (read.fault !== undefined) return read.fault;
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
  // Claude says so itself.
  if (!found) return [];
  const metadata = withChanges(found.metadata ?? {}, fields["metadata"]);
  const changed = new Map<string, ClaudeCodeTask>([[taskId, { ...found, metadata }]]);
  const tie = (id: string, blocker: string): void => {
    const task = changed.get(id) ?? tasks.get(id)?.task;
    if (task) changed.set(id, { ...task, blockedBy: [...task.blockedBy, blocker] });
  };
  for (const blocker of idsIn(fields["addBlockedBy"])) tie(taskId, blocker);
  for (const id of idsIn(fields["addBlocks"])) tie(id, taskId);
  return [...changed.values()];
}

/** Under a name that no task has: Claude gives it a number. */
const NEW: ClaudeCodeTask = {
  id: "",
  subject: "",
  description: "",
  status: "pending",
  blocks: [],
  blockedBy: [],
};

/** As Claude does it: one by one, and nothing for what is to go. */
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
