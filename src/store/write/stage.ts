// Writes a plan: reads the files that it touches, decides (story/plan/stage), and commits the result as one change.

import { join } from "node:path";
import type { Problem } from "../../errors.ts";
import { listFolder, readTextIfThere } from "../../machine/files/files.ts";
import { requireId } from "../../story/definition/names.ts";
import type { Plan } from "../../story/plan/plan.ts";
import { stagePlan, type CurrentProject, type StagedFile } from "../../story/plan/stage.ts";
import { requireSettings } from "../project/config.ts";
import { locate, rewriteDocument } from "../project/document.ts";
import { formatDocument } from "../project/json-text.ts";
import {
  epicFile,
  epicsFolder,
  storiesFolder,
  type Layout,
  type WriteLock,
} from "../project/layout.ts";
import { storyLease } from "../leases/lease-names.ts";
import type { Leases } from "../leases/leases.ts";
import { findArchived, findStories, newReading, type StoryPlace } from "../project/find.ts";
import { readEpic, readEpics, readStory } from "../project/read.ts";
import type { Staged, StageOptions } from "../store.ts";
import { changedElsewhere } from "./story-folder.ts";
import { commit } from "./transaction.ts";

type Places = ReadonlyMap<string, StoryPlace>;

export async function stage(
  at: WriteLock,
  plan: Plan,
  options: StageOptions,
  leases: Leases,
): Promise<Staged> {
  const ceiling = requireSettings(at).size;
  const places = findStories(at, newReading());
  const { current, problems } = readCurrent(at, plan, places);
  if (problems.length > 0) return { files: [], problems };

  const { files, problems: planProblems } = stagePlan(current, plan, {
    canUpdate: options.canUpdate,
    ceiling,
  });
  const { name, text = "" } = options.source;
  const running = await runningStories(at, files, leases);
  const found = [
    ...locate(name, text, planProblems),
    ...running,
    ...storiesElsewhere(files, places),
  ];
  const isRefused = found.some((problem) => problem.severity === "error");
  if (!isRefused && !options.isDryRun) commit(at, fileChanges(at, files, places));
  return { files, problems: found };
}

/** The existing folders that a plan may write to. */
export function foldersToWrite(at: Layout, plan: Plan): string[] {
  const places = findStories(at, newReading());
  const stories = plan.stories.flatMap(
    ({ fields }) => places.get(String(fields["id"]))?.folder ?? [],
  );
  // Any epic may get a new child; there are few, and they are rarely written to.
  const epics = listFolder(epicsFolder(at)).flatMap((entry) =>
    entry.isDirectory() ? [join(epicsFolder(at), entry.name)] : [],
  );
  return [...stories, ...epics];
}

/** The files that the plan builds on must be valid. Others may be broken. */
function readCurrent(
  at: Layout,
  plan: Plan,
  places: Places,
): { current: CurrentProject; problems: readonly Problem[] } {
  const reading = newReading();
  const epics = readEpics(at, newReading());
  for (const id of epicsNamed(plan)) {
    const isBroken = !epics.has(id) && readTextIfThere(epicFile(at, id)) !== undefined;
    if (isBroken) readEpic(at, id, reading);
  }
  const listed = plan.epics.flatMap(({ id }) => epics.get(String(id))?.epic.children ?? []);
  const touched = new Set([
    ...plan.stories.map((story) => String(story.fields["id"])),
    ...listed.map((child) => child.id),
  ]);
  const stories = new Map(
    [...places].map(([id, place]) => {
      const record = touched.has(id) ? readStory(at, place, reading) : undefined;
      return [id, { fields: record?.fields ?? {}, tasks: record?.taskFields ?? new Map() }];
    }),
  );
  const current = {
    epics: new Map([...epics].map(([id, { fields }]) => [id, fields])),
    stories,
    archived: new Set(findArchived(at, newReading())),
  };
  return { current, problems: reading.problems };
}

function epicsNamed(plan: Plan): string[] {
  const named = [
    ...plan.epics.map(({ id }) => id),
    ...plan.stories.flatMap(({ fields }) => fields["epic"] ?? []),
  ];
  return named.map((id) => requireId("epic", String(id)));
}

function fileChanges(at: Layout, files: readonly StagedFile[], places: Places) {
  return files
    .filter((file) => file.action !== "keep")
    .map((file) => {
      const path = pathOf(at, file, places);
      const before = readTextIfThere(path);
      const text =
        before === undefined ? formatDocument(file.fields) : rewritten(before, file.fields);
      return { path, text };
    });
}

/** Keeps the file's formatting. */
const rewritten = (text: string, fields: StagedFile["fields"]): string =>
  rewriteDocument(text, JSON.parse(text) as StagedFile["fields"], fields);

function pathOf(at: Layout, file: StagedFile, places: Places): string {
  if (file.kind === "epic") return epicFile(at, file.id);
  const folder = places.get(file.owner)?.folder ?? join(storiesFolder(at), file.owner);
  return join(folder, file.kind === "story" ? "story.json" : `${file.id}.json`);
}

/** The stories whose files, or the files of whose tasks, a plan writes. */
export function changedStories(
  files: readonly Pick<StagedFile, "kind" | "action" | "owner">[],
): string[] {
  const changed = files.filter((file) => file.kind !== "epic" && file.action !== "keep");
  return [...new Set(changed.map((file) => file.owner))];
}

/** A story's definition must not change while a worker uses it. */
async function runningStories(
  at: Layout,
  files: readonly StagedFile[],
  leases: Leases,
): Promise<Problem[]> {
  const problems: Problem[] = [];
  for (const id of changedStories(files)) {
    const lease = await leases.read(storyLease(id));
    if (lease?.life !== "alive") continue;
    problems.push({
      file: join(storiesFolder(at), id),
      severity: "error",
      message: `The story ${id} is running (${lease.record.owner}).`,
      fix: `Wait for it to end, or stop it: \`saga stop ${id}\`.`,
    });
  }
  return problems;
}

/** What is changed here would not reach the machine that has the story. */
export function storiesElsewhere(
  files: readonly Pick<StagedFile, "kind" | "action" | "owner">[],
  places: Places,
): Problem[] {
  return changedStories(files).flatMap((id): Problem[] => {
    const place = places.get(id);
    if (place?.source !== "elsewhere") return [];
    const { message, hint = "" } = changedElsewhere(id);
    return [{ file: place.folder, severity: "error", message, fix: hint }];
  });
}
