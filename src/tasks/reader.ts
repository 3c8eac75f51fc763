// The task files of a list, as the pool sees them, and of them only what has changed: names and times say
// which are to be read again. For whoever looks once, all of them have.

import { statSync } from "node:fs";
import type { ListEntry } from "./listing.ts";
import { poolTaskOf } from "./task.ts";
import { readTaskFile, taskFileName, taskIdsIn } from "../claude/tasks/file.ts";

export interface ListReader {
  /** Compares everything with what is known, and reads what is different. */
  readonly compare: () => Promise<readonly EntryChange[]>;
  /** Reads these, changed or not. */
  readonly read: (ids: Iterable<string>) => Promise<readonly EntryChange[]>;
  /** One that is gone is told of at each look until then: it may come back, and is as old as it was. */
  readonly forget: (id: string) => void;
}

export interface EntryChange {
  readonly id: string;
  /** Nothing: it is gone. */
  readonly entry: ListEntry | undefined;
}

/** A file as it was when it was read. */
interface TaskFileVersion {
  readonly mark: string;
  /** Kept from the first time: a file that is replaced looks new. */
  readonly createdAtMs: number;
}

/** A list that is not there is an empty one. */
export function newListReader(list: string): ListReader {
  const known = new Map<string, TaskFileVersion>();

  const readOne = async (id: string): Promise<EntryChange | undefined> => {
    // Before it is read: what is written in between is seen as a change afterwards.
    const seen = versionOf(list, id);
    const createdAtMs = known.get(id)?.createdAtMs ?? seen?.createdAtMs ?? 0;
    const entry = seen && (await readEntry(list, id, createdAtMs));
    if (!entry) return known.has(id) ? { id, entry: undefined } : undefined;
    known.set(id, { mark: seen.mark, createdAtMs });
    return { id, entry };
  };

  const read = async (ids: Iterable<string>): Promise<readonly EntryChange[]> => {
    // Together, so that one that is half written holds up none of the others.
    const news = await Promise.all([...ids].map(readOne));
    return news.filter((one) => one !== undefined);
  };

  const hasChanged = (id: string): boolean => {
    const before = known.get(id);
    return before === undefined || before.mark !== versionOf(list, id)?.mark;
  };

  return {
    read,
    async compare() {
      const ids = taskIdsIn(list);
      const there = new Set(ids);
      const gone = [...known.keys()].filter((id) => !there.has(id));
      return read([...ids.filter(hasChanged), ...gone]);
    },
    forget: (id) => void known.delete(id),
  };
}

/** Nothing when it is not there. */
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
  const { task, fault } = poolTaskOf(found.task, createdAtMs);
  if (task) return { task: found.task, pool: task };
  const message = `${file} is no task. ${fault}`;
  return { task: found.task, problem: { kind: "invalid-task", file, taskId: id, message } };
}

/** Nothing when it is not there. */
function versionOf(list: string, id: string): TaskFileVersion | undefined {
  const stat = statOf(`${list}/${taskFileName(id)}`);
  if (!stat) return undefined;
  if (stat === "unseen") return { mark: stat, createdAtMs: 0 };
  return {
    // Times alone do not tell: two writes may fall into one tick of the disk's clock.
    mark: `${stat.ino}.${stat.size}.${stat.mtimeNs}.${stat.ctimeNs}`,
    // Not every disk knows when a file was made.
    createdAtMs: Number((stat.birthtimeNs || stat.ctimeNs) / 1_000_000n),
  };
}

/** Of a link that leads in a circle, say, reading it tells what is wrong. */
function statOf(path: string) {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false });
  } catch {
    return "unseen";
  }
}
