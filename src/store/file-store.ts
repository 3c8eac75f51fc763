// The store over `.saga/`. Reading is direct; every change happens under the write lock, from what
// the files say at that moment.

import { join } from "node:path";
import type * as z from "zod";
import { SagaError } from "../errors.ts";
import { listFolder, readText, readTextIfThere } from "../machine/files.ts";
import { epicSchema } from "../story/epic.ts";
import { requireId } from "../story/names.ts";
import { storySchema } from "../story/story.ts";
import { taskSchema } from "../story/task.ts";
import { archive } from "./archive.ts";
import { requireSettings } from "./config.ts";
import { formatDocument, parseDocument } from "./document.ts";
import { appendJournal, readJournal } from "./journal.ts";
import { epicFile, layoutOf, leasesFolder, type Layout } from "./layout.ts";
import { acquireLease, readLease } from "./lease.ts";
import { readOverview, viewStory } from "./overview.ts";
import { brokenFiles, notFound, requireEpic, requirePlace, requireStory } from "./require.ts";
import { listRuns, openRun, readEvents, startRun } from "./runs.ts";
import { stage } from "./stage.ts";
import type { Change, Store } from "./store.ts";
import { commit } from "./transaction.ts";
import { validateProject } from "./validate.ts";
import { settle, withWriteLock } from "./write-lock.ts";

export function openStore(project: string, now: () => number = Date.now): Store {
  const at = layoutOf(project);
  const writing = <T>(act: () => T): Promise<T> => withWriteLock(at, act);
  /** Reads see no change half in place. */
  const reading = async <T>(read: () => T): Promise<T> => {
    await settle(at);
    return read();
  };
  return {
    project,
    settings: () => reading(() => requireSettings(at)),

    overview: () => reading(() => readOverview(at, now())),
    validate: () => reading(() => validateProject(at)),
    readStory: (id) => reading(() => requireStory(at, id)),
    viewStory: (id) => reading(() => viewStory(at, requireStory(at, id), now())),
    readEpic: (id) => reading(() => requireEpic(at, id)),

    stage: (plan, options) => writing(() => stage(at, plan, options, now())),
    updateStory: (id, change) =>
      writing(() =>
        updateFile(at, join(requirePlace(at, id).folder, "story.json"), storySchema, change),
      ),
    updateTask: (id, taskId, change) =>
      writing(() => {
        const file = join(requirePlace(at, id).folder, `${requireId("task", taskId)}.json`);
        if (readTextIfThere(file) === undefined) throw notFound("task", `${id}/${taskId}`);
        return updateFile(at, file, taskSchema, change);
      }),
    updateEpic: (id, change) =>
      writing(() => {
        requireEpic(at, id);
        return updateFile(at, epicFile(at, id), epicSchema, change);
      }),
    archive: (id) => writing(() => archive(at, id, now())),

    readJournal: (id) => reading(() => readJournal(requirePlace(at, id).folder)),
    appendJournal: (id, entry) => writing(() => appendJournal(at, id, entry)),

    startRun: (id, start) => reading(() => startRun(at, requirePlace(at, id).id, now(), start)),
    openRun: (run) => reading(() => openRun(at, run)),
    listRuns: (id) => reading(() => listRuns(at, requireId("story", id))),
    readEvents: (id, runId, from) =>
      reading(() => readEvents(at, requireId("story", id), runId, from)),

    leases: {
      acquire: async (name, request) => acquireLease(leaseFolder(at, name), { ...request, now }),
      read: async (name) => readLease(leaseFolder(at, name), name, now()),
      list: async () =>
        listFolder(leasesFolder(at)).flatMap(
          ({ name }) => readLease(join(leasesFolder(at), name), name, now()) ?? [],
        ),
    },
  };
}

/** Read, change, judge, write; a change that changes nothing writes nothing. */
function updateFile<T>(at: Layout, file: string, schema: z.ZodType<T>, change: Change): T {
  const text = readText(file);
  const before = parseDocument(file, text, schema);
  if (before.problems) throw brokenFiles(before.problems);
  const after = formatDocument(change(before.fields), text);
  const judged = parseDocument(file, after, schema);
  if (judged.problems) throw brokenFiles(judged.problems);
  if (after !== text) commit(at, [{ path: file, text: after }]);
  return judged.value;
}

const LEASE_NAME = /^[a-z]+(?:\.[a-z0-9-]+)?$/;

function leaseFolder(at: Layout, name: string): string {
  if (LEASE_NAME.test(name)) return join(leasesFolder(at), name);
  throw new SagaError("bad-id", `${JSON.stringify(name)} is not the name of a lease.`);
}
