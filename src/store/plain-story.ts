// A story as hook scripts see it: what they need of its files, taken as it is there, without a schema.
// What is broken is left out; `saga validate` is for that.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { ifThere, listNames, readOwnText } from "../machine/files.ts";
import { parseJournal } from "../story/journal.ts";
import { idFault } from "../story/names.ts";
import { storyState, type RunOutcome, type StoryState } from "../story/state.ts";
import { isStatus, type Status } from "../story/status.ts";
import type { FoundWorktree } from "./find.ts";
import { workerIn } from "./claimants.ts";
import { leasesFolder, runsFolder, type Layout } from "./layout.ts";
import { readLease } from "./lease.ts";

export interface PlainTask {
  readonly id: string;
  readonly subject: string;
  readonly status: Status;
  readonly blockedBy: readonly string[];
  readonly checks: readonly string[];
}

export interface PlainStory {
  readonly title: string;
  readonly description: string;
  readonly guidance: string | undefined;
  readonly doneWhen: string | undefined;
  readonly avoid: string | undefined;
  readonly status: Status;
  readonly tasks: readonly PlainTask[];
  readonly journal: string;
}

/** Nothing when there is no story, or none that can be read. */
export function readPlainStory(folder: string): PlainStory | undefined {
  const fields = readFields(join(folder, "story.json"));
  if (fields === undefined) return undefined;
  const text = (name: string): string | undefined => textIn(fields, name);
  return {
    title: text("title") ?? "",
    description: text("description") ?? "",
    guidance: text("guidance"),
    doneWhen: text("doneWhen"),
    avoid: text("avoid"),
    status: statusIn(fields),
    tasks: readPlainTasks(folder),
    journal: readIfThere(join(folder, "journal.md")) ?? "",
  };
}

export function readPlainTasks(folder: string): PlainTask[] {
  return listNames(folder).flatMap((name) => {
    const id = name.replace(/\.json$/, "");
    if (id === name || idFault("task", id) !== undefined) return [];
    const fields = readFields(join(folder, name));
    if (fields === undefined) return [];
    return {
      id,
      subject: textIn(fields, "subject") ?? id,
      status: statusIn(fields),
      blockedBy: textsIn(fields, "blockedBy"),
      checks: textsIn(fields, "checks"),
    };
  });
}

/** What people see of a story in a worktree, by the same rules as everywhere. */
export function plainState(
  at: Layout,
  { id, path }: FoundWorktree,
  nowMs: number,
): { readonly story: PlainStory; readonly state: StoryState } | undefined {
  const story = readPlainStory(join(path, ".saga/stories", id));
  if (story === undefined) return undefined;
  const state = storyState({
    status: story.status,
    tasks: story.tasks,
    waitsFor: [],
    isEpicBroken: false,
    openBlockers: parseJournal(story.journal).open.length,
    worker: workerOf(at, id, nowMs),
    isSilent: false,
    lastOutcome: lastOutcome(at, id),
    hasUnmergedWork: true,
  });
  return { story, state };
}

export function workerOf(at: Layout, storyId: string, nowMs: number): "none" | "alive" | "dead" {
  const folder = join(leasesFolder(at), `story.${storyId}`);
  return existsSync(folder) ? workerIn(readLease(folder, storyId, nowMs)) : "none";
}

function lastOutcome(at: Layout, storyId: string): RunOutcome | undefined {
  const folder = join(runsFolder(at), storyId);
  if (!existsSync(folder)) return undefined;
  const last = listNames(folder)
    .filter((name) => /^\d/.test(name))
    .toSorted()
    .at(-1);
  const run = last === undefined ? undefined : readFields(join(folder, last, "run.json"));
  const outcomes: readonly RunOutcome[] = [
    "done",
    "failed",
    "limit",
    "blocked",
    "stopped",
    "merged",
  ];
  return outcomes.find((one) => one === run?.["outcome"] && run["discardedAt"] === undefined);
}

type Fields = Readonly<Record<string, unknown>>;

const readFields = (file: string): Fields | undefined =>
  attempt(() => {
    const value: unknown = JSON.parse(readOwnText(file));
    return typeof value === "object" && value !== null ? (value as Fields) : undefined;
  });

/** Asked first: where it is not there, an exception would cost a hook script more than the question. */
const readIfThere = (file: string): string | undefined =>
  existsSync(file) ? attempt(() => readOwnText(file)) : undefined;

function attempt<T>(read: () => T): T | undefined {
  try {
    return ifThere(read);
  } catch {
    // Broken, or not ours to read: as good as not there.
    return undefined;
  }
}

function textIn(fields: Fields, name: string): string | undefined {
  const value = fields[name];
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

function textsIn(fields: Fields, name: string): string[] {
  const value = fields[name];
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}

const statusIn = (fields: Fields): Status =>
  isStatus(fields["status"]) ? fields["status"] : "pending";
