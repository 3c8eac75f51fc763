// The variables of an agent run and its tools: `@saga-run/saga/env`. Values are validated where they are used.

import { SagaError } from "./errors.ts";

type Variables = Readonly<Record<string, string | undefined>>;

/** `SAGA_STORY_ID`. Throws when it is not set: only a worker sets it. */
export const getStoryId = (env: Variables = process.env): string => required("SAGA_STORY_ID", env);

/** `SAGA_STORY_TASK_LIST_ID`. Throws when it is not set. */
export const getStoryTaskListId = (env: Variables = process.env): string =>
  required("SAGA_STORY_TASK_LIST_ID", env);

/** `SAGA_PROJECT_DIR`: the project, or the story's worktree. Throws when it is not set. */
export const getProjectDir = (env: Variables = process.env): string =>
  required("SAGA_PROJECT_DIR", env);

/** `SAGA_PLUGIN_ROOT`: where Saga's plugin is. Throws when it is not set. */
export const getPluginRoot = (env: Variables = process.env): string =>
  required("SAGA_PLUGIN_ROOT", env);

/** @deprecated The id of a story names its epic: use `getStoryId`. */
export const getEpicSlug = (env: Variables = process.env): string | undefined =>
  valueOf("SAGA_EPIC_SLUG", env);

/** @deprecated Use `getStoryId`. */
export const getStorySlug = (env: Variables = process.env): string | undefined =>
  valueOf("SAGA_STORY_SLUG", env);

/** @deprecated A story is a folder of JSON files: use `getProjectDir` and `getStoryId`. */
export const getStoryDir = (env: Variables = process.env): string | undefined =>
  valueOf("SAGA_STORY_DIR", env);

function required(name: string, env: Variables): string {
  const value = valueOf(name, env);
  if (value !== undefined) return value;
  throw new SagaError("not-found", `${name} is not set.`, {
    hint: "Saga sets it for agent runs. Run this in one, or set it yourself.",
  });
}

const valueOf = (name: string, env: Variables): string | undefined => env[name] || undefined;
