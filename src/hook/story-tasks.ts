// The tasks of the session's story, read from its files. Other tasks, such as Claude's own numbered ones, are not
// Saga's concern.

import { join } from "node:path";
import { findStory } from "../store/project/find.ts";
import { layoutOf, type Layout } from "../store/project/layout.ts";
import { readHookTasks, workerOf, type HookTask } from "../store/hook/hook-story.ts";
import { storyOfTaskList } from "../story/definition/names.ts";
import type { HookCall } from "./hook.ts";

export interface StoryTasks {
  readonly at: Layout;
  readonly storyId: string;
  readonly tasks: readonly HookTask[];
  /** The checkout with the story's work, whatever folder the session is in. */
  readonly checkout: string;
  /** A worker is running: its hooks decide about the tasks. */
  readonly hasWorker: boolean;
}

export function storyTasks({ place, env }: HookCall): StoryTasks | undefined {
  const storyId = place.storyId ?? storyOfTaskList(env["CLAUDE_CODE_TASK_LIST_ID"] ?? "");
  if (storyId === undefined) return undefined;
  const at = layoutOf(place.project);
  const found = findStory(at, storyId);
  // What another machine works on, or what is finished, is not changed here.
  if (found === undefined || found.source === "archive" || found.source === "elsewhere") {
    return undefined;
  }
  const hasWorker = workerOf(at, storyId, Date.now()) === "alive";
  const { folder, source } = found;
  const checkout = source === "worktree" ? join(folder, "../../..") : place.checkout;
  return { at, storyId, tasks: readHookTasks(folder), checkout, hasWorker };
}
