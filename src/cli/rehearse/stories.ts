// `saga run --rehearse` and `saga epic run --rehearse`: run a story (worktree, set-up, hooks, checks, commits, pull
// request), or run and merge an epic, on a throw-away copy of the project, with the real Claude Code and a scripted model.

import { SagaError } from "../../errors.ts";
import type { Turn } from "../../rehearsal/model-server.ts";
import { scriptedAgent } from "../../rehearsal/scripted-agent.ts";
import type { StoryRecord } from "../../store/project/read.ts";
import type { Store } from "../../store/store.ts";
import { storyWorktree } from "../../story/definition/names.ts";
import type { CommandResult, CommandContext } from "../program/command.ts";
import { runWorker } from "../start/run-worker.ts";
import type { RunOptions } from "../start/run-options.ts";
import { copyProject, onStage, outcomeText, prepareCopy, rehearsedSteps } from "./copy.ts";

export async function rehearseStory(
  context: CommandContext,
  storyId: string,
  options: RunOptions & { readonly json?: boolean },
): Promise<CommandResult> {
  const store = context.openProject();
  const record = await store.readStory(storyId);
  const script = (copy: string) => scriptedAgent((taskId) => rehearsedSteps(record, copy, taskId));
  return onStage(context, script, async (onCopy) => {
    await copyProject(context, store, onCopy.cwd);
    const result = await runWorker(onCopy, storyId, options);
    return { ...result, text: () => outcomeText(result, STORY_SUCCEEDED) };
  });
}

const STORY_SUCCEEDED =
  "Rehearsal passed: worktree, set-up, Claude Code, hooks, commits and pull request work here.\nNothing was spent: the cost above is made up by the scripted model.";

export async function rehearseEpic(
  context: CommandContext,
  epicId: string,
  /** Runs the epic on the copy. */
  run: (onCopy: CommandContext) => Promise<CommandResult>,
): Promise<CommandResult> {
  const store = context.openProject();
  const records = await readStories(store, epicId);
  const script = (copy: string) =>
    scriptedAgent((taskId, turn) => {
      const record = storyOf(turn, records);
      return record ? rehearsedSteps(record, copy, taskId) : [];
    });
  return onStage(context, script, async (onCopy) => {
    await prepareCopy(context, store, onCopy.cwd);
    const result = await run(onCopy);
    const end = outcomeText(result, EPIC_SUCCEEDED);
    return { ...result, text: (paint) => `${result.text(paint)}${end}` };
  });
}

const EPIC_SUCCEEDED =
  "Rehearsal passed. Nothing was spent: the cost above is made up by the scripted model.";

/** Skips unreadable stories: the run reports them. */
async function readStories(store: Store, epicId: string): Promise<StoryRecord[]> {
  const { epic } = await store.readEpic(epicId);
  const records: StoryRecord[] = [];
  for (const { id } of epic.children) {
    try {
      records.push(await store.readStory(id));
    } catch (error) {
      if (!(error instanceof SagaError)) throw error;
    }
  }
  return records;
}

/** Finds the story by its worktree, which Claude Code names in the prompt: task ids are not unique across stories. */
export function storyOf<R extends Pick<StoryRecord, "id">>(
  { messages }: Pick<Turn, "messages">,
  records: readonly R[],
): R | undefined {
  const first = messages[0]?.content.map((part) => (part.type === "text" ? part.text : "")) ?? [];
  const all = JSON.stringify(messages);
  return (
    records.find(({ id }) => first.some((text) => text.includes(`${storyWorktree(id)}\n`))) ??
    records.find(({ id }) => all.includes(storyWorktree(id)))
  );
}
