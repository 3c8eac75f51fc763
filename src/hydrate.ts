// A story's tasks as a task list of Claude Code's, for programs that run Claude Code themselves:
// `@saga-run/saga/hydrate`, and `saga hydrate`. Workers have their own step, with what they know besides.

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
  /** A folder in the project; the current one when it is not given. */
  readonly cwd?: string | undefined;
  /** `HOME` or `CLAUDE_CONFIG_DIR` say where Claude Code's lists are. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** The name of the list; a new one for each call when it is not given: `saga__<story>__<ms>`. */
  readonly taskListId?: string | undefined;
  readonly now?: (() => number) | undefined;
}

export interface Hydrated {
  /** For `CLAUDE_CODE_TASK_LIST_ID`. */
  readonly taskListId: string;
  /** Where the list is. */
  readonly folder: string;
  /** What the story says, for a prompt of your own. */
  readonly story: Story;
  readonly tasks: readonly ClaudeCodeTask[];
  /** What a headless run is told about it. */
  readonly prompt: string;
}

/** The list appears whole or not at all. The story's own files do not change. */
export function hydrate(canonicalName: string, options: HydrateOptions = {}): Hydrated {
  const { cwd = process.cwd(), env = process.env, now = Date.now } = options;
  const at = layoutOf(requireProject(cwd));
  const settings = requireSettings(at);
  const { story, tasks: own, journal } = requireStory(at, canonicalName);
  const taskListId = options.taskListId ?? storyTaskList(canonicalName, now());
  const folder = taskListFolder(env, taskListId);
  if (existsSync(folder)) {
    throw new SagaError("exists", `The task list ${taskListId} is already there.`, {
      hint: `Name another, or remove ${folder}.`,
    });
  }
  const prompt = headlessPrompt(story, parseJournal(journal ?? ""), {
    template: requirePromptTemplate(at),
    gate: {
      limits: settings.gate,
      checks: story.checks,
      writeFiles: declaredWrites(story, own),
      storyId: story.id,
      needsTesting: story.needsTesting,
      needsReview: story.needsReview,
      ceiling: settings.size.watch ? settings.size : undefined,
    },
  });
  const tasks = toClaudeTasks(own);
  createTaskList(folder, tasks);
  return { taskListId, folder, story, tasks, prompt };
}
