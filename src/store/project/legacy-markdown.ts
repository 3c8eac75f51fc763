// Stories and epics in the old markdown format. Saga shows them and never writes or runs them. A file opens with
// front matter: `key: value` lines and a list of tasks; only the part of YAML that these files use is read.

import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { messageOf, type Problem } from "../../errors.ts";
import { isInside, listFolder, readOwnText } from "../../machine/files/files.ts";
import { idProblem } from "../../story/definition/names.ts";
import type { StorySource } from "./find.ts";
import { archiveFolder, epicsFolder, storiesFolder, type Layout } from "./layout.ts";

export interface LegacyProject {
  readonly stories: readonly LegacyStory[];
  readonly epics: readonly LegacyEpic[];
  readonly problems: readonly Problem[];
}

export interface LegacyStory {
  readonly id: string;
  readonly epic: string | undefined;
  readonly markdown: Markdown;
  readonly isArchived: boolean;
}

export interface LegacyEpic {
  readonly id: string;
  /** Undefined when only its stories have files. */
  readonly markdown: Markdown | undefined;
  readonly stories: readonly string[];
}

export interface Markdown {
  readonly fields: Readonly<Record<string, string>>;
  readonly tasks: readonly Readonly<Record<string, string>>[];
  readonly body: string;
}

/** Whether a folder with these files is in the old format. In the archive, an epic's folder may hold its stories. */
export function isLegacyFolder(
  names: readonly string[],
  kind: "story" | "epic",
  source: StorySource = "project",
): boolean {
  if (names.includes(`${kind}.json`)) return false;
  if (names.includes(`${kind}.md`) || names.includes("stories")) return true;
  return (
    source === "archive" &&
    !names.some((name) => name.endsWith(".json")) &&
    names.some((name) => name.endsWith(".md") && name !== "journal.md")
  );
}

export function readLegacyProject(at: Layout): LegacyProject {
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
  const add = ({ id, file, epic }: LegacyFile, isArchived = false): string[] => {
    if (idProblem("story", id) !== undefined) return [];
    const markdown = stories.has(id) ? undefined : read(file);
    if (markdown) {
      const { epic: named } = markdown.fields;
      stories.set(id, { id, epic: epic ?? (named || undefined), markdown, isArchived });
    }
    return stories.has(id) ? [id] : [];
  };
  for (const one of storyFiles(storiesFolder(at))) add(one);
  const epics = foldersIn(epicsFolder(at)).flatMap(({ name, folder }): LegacyEpic[] => {
    if (idProblem("epic", name) !== undefined) return [];
    const own = storyFiles(join(folder, "stories")).flatMap((one) => add(inEpic(one, name)));
    const file = join(folder, "epic.md");
    const markdown = existsSync(file) ? read(file) : undefined;
    return markdown || own.length > 0 ? [{ id: name, markdown, stories: own }] : [];
  });
  // Last, because an open story with the same name is the one to show.
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

/** In the archive a story lies at the top, or below the name of its epic. */
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

/** `<slug>/story.md` and `<slug>.md`; a folder with a story.json is in the current format. */
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
