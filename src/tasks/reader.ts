// Reads the changed task files of a list. Names and times tell which files to read; the first time, all of them.

import { statSync } from "node:fs";
import type { ListEntry } from "./listing.ts";
import { poolTaskOf } from "./task.ts";
import { readTaskFile, taskFileName, taskIdsIn } from "../claude/tasks/file.ts";

export interface ListReader {
  /** Reads the files that changed since the last time. */
  readonly compare: () => Promise<readonly EntryChange[]>;
  /** Reads these tasks, changed or not. */
  readonly read: (ids: Iterable<string>) => Promise<readonly EntryChange[]>;
  /** Until forgotten, a deleted task is reported on every read: it may reappear, with its original age. */
  readonly forget: (id: string) => void;
}

export interface EntryChange {
  readonly id: string;
  /** Undefined when it is gone. */
  readonly entry: ListEntry | undefined;
}

/** The version of a file that was read. */
interface TaskFileVersion {
  readonly mark: string;
  /** From the first read: a replaced file looks new. */
  readonly createdAtMs: number;
}

/** A missing list is an empty one. */
export function newListReader(list: string): ListReader {
  const known = new Map<string, TaskFileVersion>();

  const readOne = async (id: string): Promise<EntryChange | undefined> => {
    // Before the read, so that a write in between counts as a change the next time.
    const version = versionOf(list, id);
    const createdAtMs = known.get(id)?.createdAtMs ?? version?.createdAtMs ?? 0;
    const entry = version && (await readEntry(list, id, createdAtMs));
    if (!entry) return known.has(id) ? { id, entry: undefined } : undefined;
    known.set(id, { mark: version.mark, createdAtMs });
    return { id, entry };
  };

  const read = async (ids: Iterable<string>): Promise<readonly EntryChange[]> => {
    // In parallel, so that a half-written file does not delay the others.
    const changes = await Promise.all([...ids].map(readOne));
    return changes.filter((one) => one !== undefined);
  };

  const hasChanged = (id: string): boolean => {
    const before = known.get(id);
    return before === undefined || before.mark !== versionOf(list, id)?.mark;
  };

  return {
    read,
    async compare() {
      const ids = taskIdsIn(list);
      const existing = new Set(ids);
      const gone = [...known.keys()].filter((id) => !existing.has(id));
      return read([...ids.filter(hasChanged), ...gone]);
    },
    forget: (id) => void known.delete(id),
  };
}

/** Undefined when the file is missing. */
async function readEntry(
  list: string,
  id: string,
  createdAtMs: number,
): Promise<ListEntry | undefined> {
  const file = `${list}/${taskFileName(id)}`;
  const found = await readTaskFile(list, id);
  if (found.kind === "gone") return undefined;
  if (found.kind !== "task") {
    return { problem: { kind: found.kind, file, taskId: id, message: found.message } };
  }
  const { task, problem } = poolTaskOf(found.task, createdAtMs);
  if (task) return { task: found.task, pool: task };
  const message = `${file} is not a valid task. ${problem}`;
  return { task: found.task, problem: { kind: "invalid-task", file, taskId: id, message } };
}

/** Undefined when the file is missing. */
function versionOf(list: string, id: string): TaskFileVersion | undefined {
  const stat = statOf(`${list}/${taskFileName(id)}`);
  if (!stat) return undefined;
  if (stat === "unseen") return { mark: stat, createdAtMs: 0 };
  return {
    // Times alone are not enough: two writes may fall into one tick of the disk's clock.
    mark: `${stat.ino}.${stat.size}.${stat.mtimeNs}.${stat.ctimeNs}`,
    // Not every file system has the creation time.
    createdAtMs: Number((stat.birthtimeNs || stat.ctimeNs) / 1_000_000n),
  };
}

/** "unseen" when the file cannot be examined, such as a circular link: reading it gives the reason. */
function statOf(path: string) {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false });
  } catch {
    return "unseen";
  }
}
