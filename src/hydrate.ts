// Writes a story's tasks into a task list of Claude Code, for programs that run Claude Code themselves:
// `@saga-run/saga/hydrate` and `saga hydrate`. Workers have their own step (`worker/steps/hydrate.ts`).

import { existsSync } from "node:fs";
import { createTaskList, taskListFolder } from "./claude/tasks/list.ts";
import { SagaError } from "./errors.ts";
import { declaredWrites } from "./gate/globs.ts";
import { requireSettings } from "./store/project/config.ts";
import { layoutOf, requireProject } from "./store/project/layout.ts";
import { requireStory } from "./store/project/require-read.ts";
import { requirePromptTemplate } from "./store/project/worker-prompt.ts";
import { toClaudeTasks, type ClaudeCodeTask } from "./claude/tasks/format.ts";
import { parseJournal } from "./story/definition/journal.ts";
import { storyTaskList } from "./story/definition/names.ts";
import { headlessPrompt } from "./story/prompts/story-prompt.ts";
import type { Story } from "./story/definition/story.ts";

export interface HydrateOptions {
  /** A folder in the project. Default: the current folder. */
  readonly cwd?: string | undefined;
  /** `HOME` or `CLAUDE_CONFIG_DIR` decide where Claude Code's lists are. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** The name of the list. Default: a new one for each call, `saga__<story>__<ms>`. */
  readonly taskListId?: string | undefined;
  readonly now?: (() => number) | undefined;
}

export interface Hydrated {
  /** For `CLAUDE_CODE_TASK_LIST_ID`. */
  readonly taskListId: string;
  /** The folder of the list. */
  readonly folder: string;
  /** For your own prompt. */
  readonly story: Story;
  readonly tasks: readonly ClaudeCodeTask[];
  /** The prompt that a worker would use. */
  readonly prompt: string;
}

/** Creates the list atomically. The story's files do not change. */
export function hydrate(canonicalName: string, options: HydrateOptions = {}): Hydrated {
  const { cwd = process.cwd(), env = process.env, now = Date.now } = options;
  const at = layoutOf(requireProject(cwd));
  const settings = requireSettings(at);
  const { story, tasks: storyTasks, journal } = requireStory(at, canonicalName);
  const taskListId = options.taskListId ?? storyTaskList(canonicalName, now());
  const folder = taskListFolder(env, taskListId);
  if (existsSync(folder)) {
    throw new SagaError("exists", `The task list ${taskListId} already exists.`, {
      hint: `Choose another name, or remove ${folder}.`,
    });
  }
  const prompt = headlessPrompt(story, parseJournal(journal ?? ""), {
    template: requirePromptTemplate(at),
    gate: {
      limits: settings.gate,
      checks: story.checks,
      writeFiles: declaredWrites(story, storyTasks),
      storyId: story.id,
      needsTesting: story.needsTesting,
      needsReview: story.needsReview,
      ceiling: settings.size.watch ? settings.size : undefined,
    },
  });
  const tasks = toClaudeTasks(storyTasks);
  createTaskList(folder, tasks);
  return { taskListId, folder, story, tasks, prompt };
}
