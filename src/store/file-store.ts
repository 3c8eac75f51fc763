// The store over the files in `.saga/`. Reads take no lock; every change happens under the write lock, based on the
// files as they are then. Modules that few commands need are loaded on first use.

import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type * as z from "zod";
import { SagaError, type Problem } from "../errors.ts";
import { readOwnTextIfThere } from "../machine/files/files.ts";
import { explain } from "../story/definition/explain-error.ts";
import { nextOrder } from "../story/definition/graph.ts";
import { parseJournal } from "../story/definition/journal.ts";
import { isPoolName, requireId } from "../story/definition/names.ts";
import { storySchema } from "../story/definition/story.ts";
import { taskSchema } from "../story/definition/task.ts";
import { archive, foldersToArchive, unarchive } from "./write/archive.ts";
import { locate, parseJson, rewriteDocument } from "./project/document.ts";
import { appendJournal } from "./write/journal.ts";
import { formatDocument, type Fields } from "./project/json-text.ts";
import { layoutOf, leasesFolder, type Layout, type WriteLock } from "./project/layout.ts";
import { openElsewhere } from "./elsewhere/elsewhere.ts";
import { withKnownLanes } from "./elsewhere/known-lanes.ts";
import { withKnownLeases } from "./elsewhere/known-leases.ts";
import { openFileLeases } from "./leases/file-leases.ts";
import { readOverview, viewStory } from "./views/overview.ts";
import { readHookTasks } from "./hook/hook-story.ts";
import { brokenFiles, notFound, requireLockInside, requirePlace } from "./project/require.ts";
import { requireEpic, requireJournal, requireStory } from "./project/require-read.ts";
import { openOpenWorks } from "./early-warning/file-open-works.ts";
import { openQueue } from "./queue/file-queue.ts";
import { listRuns, openRun, pruneRuns, readEvents, startRun } from "./runs/runs.ts";
import type { FieldsChange, Share, Store } from "./store.ts";
import { surveyAll, surveyEpics, surveyNames, surveyStories } from "./views/overview-facts.ts";
import { storyFolder } from "./write/story-folder.ts";
import { writeTaskStatus } from "./write/task-status.ts";
import { changeCount, commit, hasTransaction } from "./write/transaction.ts";
import { isLocked } from "../machine/files/folder-lock.ts";
import { settle, withFolderLock, withProjectLock } from "./write/write-lock.ts";

/** After this many reads that a change interrupted, the next one takes the lock. */
const MAX_UNLOCKED_READS = 4;

/** Leases and lanes are files of the project. By default, what is known of those of other machines is added. */
export function openStore(project: string, now: () => number = Date.now, share?: Share): Store {
  const at = layoutOf(project);
  const localLeases = openFileLeases(leasesFolder(at), { now });
  const local = { leases: localLeases, queue: openQueue(at, now) };
  const { leases, queue } = share?.(local) ?? {
    leases: withKnownLeases(localLeases, at),
    queue: withKnownLanes(local.queue, at),
  };
  const inStory = <T>(id: string, act: (lock: WriteLock) => T): Promise<T> =>
    withFolderLock(at, storyFolder(at, id), act);
  /** No read sees half of a change. */
  const reading = async <T>(read: () => T): Promise<T> => {
    for (let attempt = 1; attempt <= MAX_UNLOCKED_READS; attempt++) {
      // A change that cannot be finished, on a read-only disk for example, must not prevent reads.
      const isStuck = await settle(at).then(
        () => false,
        () => true,
      );
      const before = changeCount(at);
      const wasQuiet = (): boolean =>
        isStuck || (changeCount(at) === before && !isChanging(at, before));
      try {
        const result = read();
        if (wasQuiet()) return result;
      } catch (error) {
        if (wasQuiet()) throw error;
      }
      await wait(1);
    }
    return withProjectLock(at, () => [], read);
  };
  return {
    project,
    settings: async () => {
      const { requireSettings } = await import("./project/config.ts");
      return reading(() => requireSettings(at));
    },
    promptTemplate: async () => {
      const { requirePromptTemplate } = await import("./project/worker-prompt.ts");
      return reading(() => requirePromptTemplate(at));
    },

    overview: async (only) => {
      const leaseOf = await leases.look();
      return reading(() => readOverview(at, { nowMs: now(), leaseOf, only }));
    },
    survey: {
      all: () => reading(() => surveyAll(at)),
      names: () => reading(() => surveyNames(at)),
      stories: (ids) => reading(() => surveyStories(at, ids)),
      epics: () => reading(() => surveyEpics(at)),
    },
    validate: async () => {
      const { validateProject } = await import("./views/validate.ts");
      const leaseProblems: Problem[] = [];
      await leases.list((problem) => void leaseProblems.push(problem));
      const leaseOf = await leases.look();
      return reading(() => validateProject(at, { nowMs: now(), leaseOf, leaseProblems }));
    },
    readStory: (id) => reading(() => requireStory(at, id)),
    viewStory: async (id) => {
      const leaseOf = await leases.look();
      return reading(() => viewStory(at, requireStory(at, id), { nowMs: now(), leaseOf }));
    },
    readEpic: (id) => reading(() => requireEpic(at, id)),

    stage: async (plan, options) => {
      const { foldersToWrite, stage } = await import("./write/stage.ts");
      return withProjectLock(
        at,
        () => foldersToWrite(at, plan),
        (lock) => stage(lock, plan, options, leases),
      );
    },
    updateStory: (id, change) =>
      inStory(id, (lock) => updateFile(lock, { kind: "story", id, schema: storySchema }, change)),
    addTask: (id, task) => inStory(id, (lock) => addTask(lock, id, task)),
    setTaskStatus: (id, taskId, status) => writeTaskStatus(at, id, taskId, status),
    splitTask: async (id, decide, entryFor) => {
      const { writeSplit } = await import("./write/split.ts");
      const { find } = storyFolder(at, id);
      return withProjectLock(
        at,
        () => [find()],
        (lock) => writeSplit(lock, id, decide, entryFor),
      );
    },
    readDefinition: async (name) => {
      const { readDefinition } = await import("./write/definition-file.ts");
      return reading(() => readDefinition(at, name));
    },
    writeDefinition: async (name, text) => {
      const { writeDefinition } = await import("./write/definition-file.ts");
      return writeDefinition(at, name, text, leases);
    },
    remove: async (name, options) => {
      const { removeDefinition } = await import("./write/remove.ts");
      return removeDefinition(at, name, options, { leases, nowMs: now() });
    },
    noteEpic: async (id, notes) => {
      const { writeEpicNotes } = await import("./project/epic-notes.ts");
      writeEpicNotes(at, requireId("epic", id), notes);
    },
    archive: (ids) =>
      withProjectLock(
        at,
        () => foldersToArchive(at, ids),
        () => archive(at, ids, { leases, nowMs: now() }),
      ),
    unarchive: (ids) =>
      withProjectLock(
        at,
        () => [],
        () => unarchive(at, ids),
      ),

    copyStoryToWorktree: async (id, worktree) => {
      const { copyStoryToWorktree } = await import("./write/copy-to-worktree.ts");
      return copyStoryToWorktree(at, requireId("story", id), worktree);
    },

    reclaimStory: async (id) => {
      const { reclaimStory } = await import("./write/reset.ts");
      return reclaimStory(at, requireId("story", id));
    },
    resetStory: async (id, entry) => {
      const { resetStory } = await import("./write/reset.ts");
      return resetStory(at, requireId("story", id), entry);
    },
    writeEpicsSnapshot: async () => {
      const { writeEpicsSnapshot } = await import("./views/epics-snapshot.ts");
      // Under one lock, so that the last writer has seen all earlier changes.
      return withProjectLock(
        at,
        () => [],
        async () => writeEpicsSnapshot(at, await leases.look(), now()),
      );
    },

    readJournal: (id) => reading(() => parseJournal(requireJournal(at, id))),
    appendJournal: (id, entry) => inStory(id, (lock) => appendJournal(lock, id, entry)),

    startRun: async (id, start) => {
      // A pool worker has runs like a story, but no files.
      if (!isPoolName(id)) await reading(() => requirePlace(at, id));
      return startRun(at, id, now(), start);
    },
    openRun: async (run) => openRun(at, run),
    pruneRuns: async (id, keep) => pruneRuns(at, requireId("story", id), keep),
    listRuns: (id, known) => reading(() => listRuns(at, requireId("story", id), known)),
    readEvents: (id, runId, from) =>
      reading(() => readEvents(at, requireId("story", id), runId, from)),

    queue,
    openWorks: openOpenWorks(at),
    leases,
    localLeases,
    elsewhere: openElsewhere(at),
  };
}

/** A living process is moving files into place. What a dead one left does not change any more. */
const isChanging = (at: Layout, count: number): boolean =>
  hasTransaction(at) || (count % 2 === 1 && isLocked(at.saga));

function addTask(lock: WriteLock, storyId: string, fields: Readonly<Fields>): Readonly<Fields> {
  const id = requireId("task", String(fields["id"]));
  const folder = dirname(lock.file);
  const path = join(folder, `${id}.json`);
  if (existsSync(path)) {
    throw new SagaError("exists", `The task ${storyId}/${id} already exists.`, {
      hint: `See it with \`saga show ${storyId}\`.`,
    });
  }
  const task = { ...fields, order: nextOrder(readHookTasks(folder)) };
  const text = formatDocument(task);
  const parsed = taskSchema.safeParse(task);
  if (!parsed.success) throw brokenFiles(locate(path, text, explain(parsed.error, task)));
  commit(lock, [{ path, text }]);
  return task;
}

interface UpdatedFile<T> {
  readonly kind: "story" | "epic";
  readonly id: string;
  readonly schema: z.ZodType<T>;
}

/** Reads, changes, validates and writes the file. Writes nothing if the change is empty. */
function updateFile<T>(
  lock: WriteLock,
  { kind, id, schema }: UpdatedFile<T>,
  change: FieldsChange,
): T {
  const file = join(dirname(lock.file), `${kind}.json`);
  const text = readOwnTextIfThere(file);
  if (text === undefined) throw notFound(kind, id);
  const before = parseJson(file, text);
  if (before.problem) throw brokenFiles([before.problem]);
  const fields = change(before.value as Fields);
  if (fields["id"] !== (before.value as Fields)["id"]) {
    throw new SagaError("bad-id", `The id of the ${kind} ${id} cannot be changed.`, {
      hint: `Keep ${JSON.stringify(id)}: it is also the name of its folder.`,
    });
  }
  const after = rewriteDocument(text, before.value as Fields, fields);
  const parsed = schema.safeParse(fields);
  if (!parsed.success) throw brokenFiles(locate(file, after, explain(parsed.error, fields)));
  if (after === text) requireLockInside(lock);
  else commit(lock, [{ path: file, text: after }]);
  return parsed.data;
}
