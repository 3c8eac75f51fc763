// The facts behind an overview in parts, for a cache that reads only what has changed. Each problem stays with the
// story that it belongs to.

import { statSync } from "node:fs";
import { join } from "node:path";
import type { Problem } from "../../errors.ts";
import { isInside } from "../../machine/files/files.ts";
import type { Epic } from "../../story/definition/epic.ts";
import {
  epicIds,
  findArchived,
  findStories,
  findStory,
  newReading,
  type StoryPlace,
} from "../project/find.ts";
import { archiveFolder, type Layout } from "../project/layout.ts";
import { readEpics, readStory, type StoryRecord } from "../project/read.ts";

export interface Survey {
  /** Everything in one pass. */
  readonly all: () => Promise<SurveyedProject>;
  readonly names: () => Promise<SurveyedNames>;
  /** In the given order, without stories that do not exist. */
  readonly stories: (ids: readonly string[]) => Promise<readonly SurveyedStory[]>;
  readonly epics: () => Promise<SurveyedEpics>;
}

export interface SurveyedNames {
  /** With archived ones. */
  readonly stories: readonly string[];
  /** Folders with invalid names. */
  readonly problems: readonly Problem[];
}

export interface SurveyedProject {
  readonly stories: readonly SurveyedStory[];
  /** Folders with invalid names. */
  readonly problems: readonly Problem[];
}

export interface SurveyedStory {
  readonly id: string;
  /** Undefined when its files are invalid or in the old format. */
  readonly record: StoryRecord | undefined;
  readonly isLegacy: boolean;
  readonly problems: readonly Problem[];
}

export interface SurveyedEpics {
  readonly epics: ReadonlyMap<string, Epic>;
  /** Epics that cannot be read. */
  readonly broken: ReadonlySet<string>;
  readonly problems: readonly Problem[];
}

export function surveyAll(at: Layout): SurveyedProject {
  const { places, problems } = findAll(at);
  return { stories: places.map((place) => surveyPlace(at, place)), problems };
}

export function surveyNames(at: Layout): SurveyedNames {
  const { places, problems } = findAll(at);
  return { stories: places.map(({ id }) => id), problems };
}

function findAll(at: Layout): { places: StoryPlace[]; problems: readonly Problem[] } {
  const reading = newReading();
  const open = findStories(at, reading);
  const archived = findArchived(at, reading)
    .filter((id) => !open.has(id))
    .map((id) => ({ id, folder: join(archiveFolder(at), id), source: "archive" }) as const);
  return { places: [...open.values(), ...archived], problems: reading.problems };
}

export const surveyStories = (at: Layout, ids: readonly string[]): readonly SurveyedStory[] =>
  ids.flatMap((id) => {
    const place = findStory(at, id);
    // A link that leads out of `.saga` is reported with the names, and not followed.
    if (!place || !isInside(at.saga, place.folder)) return [];
    const isFolder = statSync(place.folder, { throwIfNoEntry: false })?.isDirectory() ?? false;
    return isFolder ? [surveyPlace(at, place)] : [];
  });

function surveyPlace(at: Layout, place: StoryPlace): SurveyedStory {
  const reading = newReading();
  const record = readStory(at, place, reading);
  const isLegacy = reading.legacy.length > 0;
  return { id: place.id, record, isLegacy, problems: reading.problems };
}

export function surveyEpics(at: Layout): SurveyedEpics {
  const reading = newReading();
  const epics = new Map([...readEpics(at, reading)].map(([id, { epic }]) => [id, epic]));
  const broken = new Set(epicIds(at).filter((id) => !epics.has(id)));
  return { epics, broken, problems: reading.problems };
}
