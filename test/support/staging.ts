// Plans and projects for the tests of staging, without a disk.

import { DEFAULT_CEILING } from "../../src/story/definition/validate.ts";
import { parsePlan } from "../../src/story/plan/plan.ts";
import {
  stagePlan,
  type CurrentProject,
  type StagedFile,
  type Staging,
} from "../../src/story/plan/stage.ts";

export type Fields = Record<string, unknown>;

export const task = (id: string, fields: Fields = {}): Fields => ({
  id,
  subject: `Do ${id}`,
  description: `All about ${id}.`,
  ...fields,
});

export const story = (id: string, fields: Fields = {}): Fields => ({
  id,
  title: `Story ${id}`,
  description: `All about ${id}.`,
  ...fields,
});

export const epic = (id: string, fields: Fields = {}): Fields => ({
  id,
  title: `Epic ${id}`,
  description: `All about ${id}.`,
  ...fields,
});

interface Project {
  readonly epics?: Fields[];
  /** Stories as files, with their tasks beside them. */
  readonly stories?: { readonly file: Fields; readonly tasks?: Fields[] }[];
  readonly archived?: string[];
}

const byId = (items: readonly Fields[]): Map<string, Fields> =>
  new Map(items.map((item) => [String(item["id"]), item]));

export const project = ({
  epics = [],
  stories = [],
  archived = [],
}: Project = {}): CurrentProject => ({
  epics: byId(epics),
  stories: new Map(
    stories.map(({ file, tasks = [] }) => [
      String(file["id"]),
      { fields: file, tasks: byId(tasks) },
    ]),
  ),
  archived: new Set(archived),
});

export const empty = project();

export function stage(current: CurrentProject, json: unknown, canUpdate = false): Staging {
  const { plan, problems } = parsePlan(json);
  if (!plan) throw new Error(JSON.stringify(problems));
  return stagePlan(current, plan, { canUpdate, ceiling: DEFAULT_CEILING });
}

/** The project with the staged files written. */
export function written(current: CurrentProject, { files }: Staging): CurrentProject {
  const epics = new Map(current.epics);
  const stories = new Map(current.stories);
  for (const { kind, owner, id, fields } of files) {
    const before = stories.get(owner) ?? { fields: {}, tasks: new Map<string, Fields>() };
    if (kind === "epic") epics.set(id, fields);
    if (kind === "story") stories.set(owner, { ...before, fields });
    if (kind === "task") {
      stories.set(owner, { ...before, tasks: new Map(before.tasks).set(id, fields) });
    }
  }
  return { ...current, epics, stories };
}

const named = ({ kind, owner, id, action }: StagedFile): string =>
  `${action} ${kind} ${kind === "task" ? `${owner}/${id}` : id}`;

export const actions = ({ files }: Staging): string[] => files.map(named);

export const fieldsOf = ({ files }: Staging, kind: StagedFile["kind"], id: string): unknown =>
  files.find((file) => file.kind === kind && file.id === id)?.fields;

/** The story of a payload of the lightweight pipeline. */
export const storyUpdateIn = (state: string) => ({
  id: "story-001",
  epicId: "epic-001",
  title: "Ghost placement accuracy",
  state,
  branch: "story/ghost-placement",
  writeFiles: ["src/handlers/stageHandlers.js", "src/components/BoardCanvas.jsx"],
  needsTesting: false,
  needsReview: false,
});
