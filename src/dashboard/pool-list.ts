// The task files of a list, kept: only those that changed are read again. Claude writes them in place, so that
// one may be met half written: it is called broken only when it is so at a second look.

import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "../errors.ts";
import { ifThere, readOwnText } from "../machine/files.ts";
import { claudeTaskSchema } from "../story/claude-task.ts";
import type { ReadTask } from "./pool-tasks.ts";

export interface PoolList {
  readonly read: () => readonly ReadTask[];
  /** Whether a file made no sense at the last look. */
  readonly isTorn: () => boolean;
}

interface Kept {
  readonly mark: string;
  readonly read: ReadTask;
  readonly isTorn: boolean;
}

const TASK_FILE = /^(?<id>[A-Za-z0-9_-]+)\.json$/;

export function openPoolList(folder: string): PoolList {
  let kept = new Map<string, Kept>();
  const look = (id: string, before: Kept | undefined): Kept | undefined => {
    const file = join(folder, `${id}.json`);
    const stat = ifThere(() => statSync(file));
    if (stat === undefined) return undefined;
    const mark = `${stat.mtimeMs} ${stat.size} ${stat.ino}`;
    if (before?.mark === mark && !before.isTorn) return before;
    const read = readTask(id, file);
    if (read.task) return { mark, read, isTorn: false };
    const isFirst = before !== undefined && !before.isTorn;
    return { mark, read: isFirst ? before.read : read, isTorn: true };
  };
  return {
    read() {
      const ids = (ifThere(() => readdirSync(folder)) ?? []).flatMap(
        (name) => TASK_FILE.exec(name)?.groups?.["id"] ?? [],
      );
      const now = new Map<string, Kept>();
      for (const id of ids) {
        const one = look(id, kept.get(id));
        if (one) now.set(id, one);
      }
      kept = now;
      return [...kept.values()].map(({ read }) => read);
    },
    isTorn: () => [...kept.values()].some(({ isTorn }) => isTorn),
  };
}

function readTask(id: string, file: string): ReadTask {
  try {
    const parsed = claudeTaskSchema.safeParse(JSON.parse(readOwnText(file)));
    if (parsed.success) return { id, task: parsed.data };
    return { id, fault: "Its file is not a task of Claude's." };
  } catch (error) {
    return { id, fault: `Its file cannot be read: ${messageOf(error)}.` };
  }
}
