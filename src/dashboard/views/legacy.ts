// Reads stories and epics in the older markdown format. They are shown beside the others and never written. A file
// starts with front matter: `key: value` lines and a list of tasks. Supports only the YAML that those files use.

import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { messageOf, type Problem } from "../../errors.ts";
import { isInside, listFolder, readOwnText } from "../../machine/files/files.ts";
import {
  archiveFolder,
  epicsFolder,
  storiesFolder,
  type Layout,
} from "../../store/project/layout.ts";
import { idProblem } from "../../story/definition/names.ts";
import type { Status } from "../../story/definition/status.ts";
import type { CardState, EpicCard, StoryCard, TaskCard } from "../protocol/messages.ts";

export interface Legacy {
  readonly stories: readonly LegacyStory[];
  readonly epics: readonly EpicCard[];
  readonly problems: readonly Problem[];
}

export interface LegacyStory {
  readonly card: StoryCard;
  readonly file: string;
}

export function readLegacy(at: Layout): Legacy {
  const problems: Problem[] = [];
  const read = (file: string): Markdown | undefined => {
    try {
      return isInside(at.saga, file) ? parseMarkdown(readOwnText(file)) : undefined;
    } catch (error) {
      problems.push(unreadable(file, error));
      return undefined;
    }
  };
  const stories = new Map<string, LegacyStory>();
  const add = ({ id, file, epic }: LegacyFile, isArchived = false): StoryCard | undefined => {
    const text = idProblem("story", id) === undefined && !stories.has(id) ? read(file) : undefined;
    const card = text && legacyStory(id, text, epic);
    if (card) stories.set(id, { card: isArchived ? archived(card) : card, file });
    return stories.get(id)?.card;
  };
  for (const one of storyFiles(storiesFolder(at))) add(one);
  const epics = foldersIn(epicsFolder(at)).flatMap(({ name, folder }): EpicCard[] => {
    if (idProblem("epic", name) !== undefined) return [];
    const own = storyFiles(join(folder, "stories")).flatMap((one) => add(inEpic(one, name)) ?? []);
    const file = join(folder, "epic.md");
    const text = existsSync(file) ? read(file) : undefined;
    return text || own.length > 0 ? [legacyEpic(name, text, own)] : [];
  });
  // Last: an open story of the same name wins.
  for (const one of archivedFiles(archiveFolder(at))) add(one, true);
  return { stories: [...stories.values()], epics, problems };
}

interface LegacyFile {
  readonly id: string;
  readonly file: string;
  readonly epic?: string;
}

const inEpic = ({ id, file }: LegacyFile, epic: string): LegacyFile => ({
  id: `${epic}--${id}`,
  file,
  epic,
});

const archived = (card: StoryCard): StoryCard => ({
  ...card,
  state: "completed",
  isArchived: true,
});

/** In the archive a story is at the top, or in the folder of its epic. */
function archivedFiles(folder: string): LegacyFile[] {
  const epics = foldersIn(folder).filter((one) => {
    const names = new Set(listFolder(one.folder).map(({ name }) => name));
    return !names.has("story.json") && !names.has("story.md");
  });
  return [
    ...storyFiles(folder),
    ...epics.flatMap((epic) =>
      [...storyFiles(epic.folder), ...storyFiles(join(epic.folder, "stories"))]
        .filter(({ file }) => !NOT_STORIES.has(basename(file)))
        .map((one) => inEpic(one, epic.name)),
    ),
  ];
}

const NOT_STORIES: ReadonlySet<string> = new Set(["epic.md", "journal.md"]);

/** `<slug>/story.md` and `<slug>.md`. A folder with a story.json is in the current format. */
function storyFiles(folder: string): LegacyFile[] {
  return listFolder(folder).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isFile() && entry.name.endsWith(".md")) {
      return [{ id: basename(entry.name, ".md"), file: path }];
    }
    if (!entry.isDirectory()) return [];
    const names = new Set(listFolder(path).map(({ name }) => name));
    const isLegacy = names.has("story.md") && !names.has("story.json");
    return isLegacy ? [{ id: entry.name, file: join(path, "story.md") }] : [];
  });
}

const foldersIn = (folder: string): { name: string; folder: string }[] =>
  listFolder(folder)
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => ({ name, folder: join(folder, name) }));

const unreadable = (file: string, error: unknown): Problem => ({
  file,
  severity: "warning",
  message: `Cannot read the file: ${messageOf(error)}.`,
  fix: "Check its type and permissions.",
});

export interface Markdown {
  readonly fields: Readonly<Record<string, string>>;
  readonly tasks: readonly Readonly<Record<string, string>>[];
  readonly body: string;
}

const FRONT_MATTER = /^---\r?\n(?<front>[\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/;

export function parseMarkdown(text: string): Markdown {
  const found = FRONT_MATTER.exec(text);
  const fields: Record<string, string> = {};
  const tasks: Record<string, string>[] = [];
  let isInTasks = false;
  for (const line of (found?.groups?.["front"] ?? "").split(/\r?\n/)) {
    const match = /^(?<indent>\s*)(?<dash>- )?\s*(?<key>[\w-]+):\s*(?<value>.*)$/.exec(
      line,
    )?.groups;
    if (!match) continue;
    const { indent = "", dash, key = "", value = "" } = match;
    if (indent === "" && dash === undefined) {
      isInTasks = key === "tasks";
      fields[key] = unquoted(value);
    } else if (isInTasks) {
      if (dash !== undefined) tasks.push({});
      const task = tasks.at(-1);
      if (task) task[key] = unquoted(value);
    }
  }
  return { fields, tasks, body: text.slice(found?.[0].length ?? 0).trim() };
}

const unquoted = (value: string): string => {
  const text = value.trim();
  return /^(["']).*\1$/s.exec(text) ? text.slice(1, -1) : text;
};

function legacyStory(id: string, text: Markdown, epic: string | undefined): StoryCard {
  const tasks = text.tasks.map(legacyTask);
  return {
    id,
    title: titleOf(text) ?? id,
    state: legacyState(text.fields["status"], tasks),
    epic: epic ?? (text.fields["epic"] || undefined),
    isBegun: false,
    isLegacy: true,
    labels: [],
    tasks,
    waitsFor: [],
    openQuestions: 0,
    costUsd: 0,
    version: versionOf(text),
  };
}

const legacyTask = (task: Readonly<Record<string, string>>, index: number): TaskCard => ({
  id: task["id"] ?? `t${index + 1}`,
  subject: task["title"] ?? task["subject"] ?? `Task ${index + 1}`,
  status: legacyStatus(task["status"]),
  blockedBy: [],
});

const legacyEpic = (
  id: string,
  text: Markdown | undefined,
  stories: readonly StoryCard[],
): EpicCard => ({
  id,
  title: (text && titleOf(text)) ?? id,
  description: text?.body,
  status: legacyStatus(text?.fields["status"]),
  isLegacy: true,
  children: stories.map((story) => ({ id: story.id, blockedBy: [] })),
  isRunning: false,
  version: text ? versionOf(text) : 0,
});

/** A hash of the content, so that every edit gives another version. */
const versionOf = (text: Markdown): number =>
  createHash("sha1").update(JSON.stringify(text)).digest().readUIntBE(0, 6);

const titleOf = ({ fields, body }: Markdown): string | undefined =>
  fields["title"] || /^#\s+(?<title>.+)$/m.exec(body)?.groups?.["title"];

const normalized = (status: string | undefined): string =>
  (status ?? "").toLowerCase().replaceAll(/[-\s]/g, "_");

function legacyStatus(status: string | undefined): Status {
  switch (normalized(status)) {
    case "completed":
    case "complete":
    case "done":
      return "completed";
    case "in_progress":
    case "active":
      return "in_progress";
    default:
      return "pending";
  }
}

/** From the status in the file; without one, from its tasks. */
function legacyState(status: string | undefined, tasks: readonly TaskCard[]): CardState {
  if (normalized(status) === "ready") return "ready";
  if (normalized(status) === "blocked") return "blocked";
  switch (legacyStatus(status)) {
    case "completed":
      return "completed";
    case "in_progress":
      return "in-progress";
    case "pending":
      return !status && tasks.some((task) => task.status !== "pending") ? "in-progress" : "pending";
  }
}
