// The parts of a story that hook scripts need, read without a schema. Invalid parts are left out; `saga validate`
// reports them.

import { existsSync } from "node:fs";
import { ifThere, listNames, readOwnText } from "../../machine/files/files.ts";
import { tasksInOrder } from "../../story/definition/graph.ts";
import { parseJournal } from "../../story/definition/journal.ts";
import { idProblem } from "../../story/definition/names.ts";
import { isFromFuture } from "../../story/state/run-id.ts";
import {
  RUN_OUTCOMES,
  storyState,
  type StoryFacts,
  type StoryState,
} from "../../story/state/state.ts";
import { isStatus, type Status } from "../../story/definition/status.ts";
import type { FoundWorktree } from "../project/find.ts";
import { workerState } from "../leases/lease-purpose.ts";
import { knownRefs } from "../project/known-refs.ts";
import { leasesFolder, runsFolder, type Layout } from "../project/layout.ts";
import { leaseReading } from "../leases/read-lease.ts";
import { readOwned } from "../ownership/read-owner.ts";
import { storyLease } from "../leases/lease-names.ts";

export interface HookTask {
  readonly id: string;
  readonly subject: string;
  readonly status: Status;
  readonly blockedBy: readonly string[];
  readonly checks: readonly string[];
  readonly order?: number | undefined;
}

export interface HookStory {
  readonly checks: readonly string[];
  readonly writeFiles: readonly string[];
  readonly title: string;
  readonly description: string;
  readonly guidance: string | undefined;
  readonly doneWhen: string | undefined;
  readonly avoid: string | undefined;
  readonly status: Status;
  readonly tasks: readonly HookTask[];
  readonly journal: string;
}

/** Undefined when there is no readable story. */
function parseHookStory(folder: string): HookStory | undefined {
  const fields = readFields(`${folder}/story.json`);
  if (fields === undefined) return undefined;
  const text = (name: string): string | undefined => textIn(fields, name);
  return {
    title: text("title") ?? "",
    description: text("description") ?? "",
    guidance: text("guidance"),
    doneWhen: text("doneWhen"),
    avoid: text("avoid"),
    checks: textsIn(fields, "checks"),
    writeFiles: textsIn(fields, "writeFiles"),
    status: statusIn(fields),
    tasks: tasksInOrder(readHookTasks(folder)),
    journal: readIfThere(`${folder}/journal.md`) ?? "",
  };
}

export function readHookTasks(folder: string): HookTask[] {
  return listNames(folder).flatMap((name) => {
    const id = name.replace(/\.json$/, "");
    if (id === name || idProblem("task", id) !== undefined) return [];
    const fields = readFields(`${folder}/${name}`);
    if (fields === undefined) return [];
    return {
      id,
      subject: textIn(fields, "subject") ?? id,
      status: statusIn(fields),
      blockedBy: textsIn(fields, "blockedBy"),
      checks: textsIn(fields, "checks"),
      order: fields["order"] as number | undefined,
    };
  });
}

export interface HookStoryView {
  readonly story: HookStory;
  readonly state: StoryState;
  readonly lastRun: RunFacts;
}

/** The state of a story in a worktree, by the same rules as everywhere. */
export function readHookStory(
  at: Layout,
  { id, path }: FoundWorktree,
  nowMs: number,
): HookStoryView | undefined {
  const story = parseHookStory(`${path}/.saga/stories/${id}`);
  if (story === undefined) return undefined;
  const lastRun = lastRunOf(at, id, nowMs);
  const state = storyState({
    status: story.status,
    tasks: story.tasks,
    waitsFor: [],
    isEpicBroken: false,
    openBlockers: parseJournal(story.journal).open.length,
    worker: workerOf(at, id, nowMs),
    isSilent: false,
    ...lastRun,
    isWorktreeGone: false,
    hasUnmergedWork: true,
  });
  return { story, state, lastRun };
}

export const workerOf = (
  at: Layout,
  storyId: string,
  nowMs: number,
): ReturnType<typeof workerState> =>
  workerState(
    readOwned(
      leaseReading(leasesFolder(at), () => nowMs),
      storyLease(storyId),
    ),
  );

interface RunFacts extends Pick<StoryFacts, "lastOutcome" | "hasRun" | "hasOpenRun"> {
  readonly pushError?: string | undefined;
}

/** The same rules as in `store/runs/last-run.ts`. */
export function lastRunOf(at: Layout, storyId: string, nowMs: number): RunFacts {
  const folder = `${runsFolder(at)}/${storyId}`;
  const ids = listNames(folder).filter((name) => /^\d/.test(name));
  for (const id of ids.toSorted().toReversed()) {
    const run = readFields(`${folder}/${id}/run.json`);
    if (run === undefined || run["isAside"]) continue;
    const lastOutcome = RUN_OUTCOMES.find((one) => one === run["outcome"]);
    const isMerged = lastOutcome === "merged";
    if (isMerged ? !knownRefs(at).isMergeRecorded(storyId) : isFromFuture(id, nowMs)) continue;
    if (run["discardedAt"]) break;
    const hasOpenRun = !lastOutcome && run["worker"] !== undefined;
    return { lastOutcome, hasRun: true, hasOpenRun, pushError: textIn(run, "pushError") };
  }
  return { hasRun: false, hasOpenRun: false };
}

type Fields = Readonly<Record<string, unknown>>;

const readFields = (file: string): Fields | undefined =>
  attempt(() => {
    const value: unknown = JSON.parse(readOwnText(file));
    return typeof value === "object" && value !== null ? (value as Fields) : undefined;
  });

/** Checks for the file first, because an exception costs a hook script more. */
const readIfThere = (file: string): string | undefined =>
  existsSync(file) ? attempt(() => readOwnText(file)) : undefined;

function attempt<T>(read: () => T): T | undefined {
  try {
    return ifThere(read);
  } catch {
    // Invalid or unreadable counts as missing.
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
