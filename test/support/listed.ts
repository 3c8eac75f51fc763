// The output of `saga list`.

import type { Problem } from "../../src/errors.ts";
import { projectWith } from "./one-story.ts";
import { aStory, aTask, type Project } from "./project.ts";

interface Listed {
  readonly epics: readonly Record<string, unknown>[];
  readonly stories: readonly Record<string, unknown>[];
  readonly problems: readonly Problem[];
}

export const listed = async (project: Project, ...words: string[]): Promise<Listed> =>
  (await project.saga("list", ...words, "--json")).json() as unknown as Listed;

export const stateOf = async (project: Project, id: string): Promise<unknown> =>
  (await listed(project)).stories.find((story) => story["id"] === id)?.["state"];

/** A project with one good story, `good`. */
export const oneGoodStory = (): Project => projectWith(aStory("good"), aTask("t"));
