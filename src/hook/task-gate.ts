// What a session may do with a story's tasks, by the rules of a worker: which updates it may make (PreToolUse of
// TaskUpdate), and whether a task may be completed (TaskCompleted).

import { judgeTaskUpdate } from "../claude/tasks/sync.ts";
import { checksRefusal, orderRefusal } from "../gate/completion.ts";
import { commonDirOf } from "../machine/programs/common-dir.ts";
import type { HookTask } from "../store/hook/hook-story.ts";
import { waitingFor } from "../story/definition/graph.ts";
import { taskLink } from "../story/state/state.ts";
import { denial, runGuard, type HookAnswer, type HookCall } from "./hook.ts";
import { storyTasks, type StoryTasks } from "./story-tasks.ts";

void runGuard(async (call) => {
  const story = storyTasks(call);
  const task = story?.tasks.find(({ id }) => id === taskIdOf(call));
  if (story === undefined || task === undefined) return undefined;
  const isCompletion = call.input["hook_event_name"] === "TaskCompleted";
  const reason = story.hasWorker
    ? workerIsRunning(story.storyId)
    : isCompletion
      ? await whyNotComplete(call, story, task)
      : whyNotUpdate(call, task);
  if (reason === undefined) return undefined;
  return isCompletion ? blocked(reason) : denial(reason);
});

const taskIdOf = ({ input }: HookCall): unknown =>
  input["task_id"] ?? (input["tool_input"] as { readonly taskId?: unknown } | undefined)?.taskId;

const workerIsRunning = (storyId: string): string =>
  `A worker is running on the story ${storyId}: only it may change the tasks until it ends. Leave them alone, or ask the person to stop it first (\`saga stop ${storyId}\`).`;

function whyNotUpdate({ input }: HookCall, { id, status }: HookTask): string | undefined {
  const verdict = judgeTaskUpdate(input["tool_input"], (one) => (one === id ? status : undefined));
  return verdict.isAllowed ? undefined : verdict.reason;
}

async function whyNotComplete(
  { env }: HookCall,
  { at, storyId, tasks, checkout: cwd }: StoryTasks,
  { id, checks }: HookTask,
): Promise<string | undefined> {
  const first = orderRefusal(waitingFor(tasks.map(taskLink)).get(id) ?? []);
  if (first !== undefined || checks.length === 0) return first;
  const { readCheckSettings } = await import("../store/hook/check-settings.ts");
  const { checkPlace } = await import("../gate/check-place.ts");
  const settings = readCheckSettings(at);
  const commonDir = commonDirOf(cwd);
  return checksRefusal(checks, await checkPlace({ cwd, commonDir, env, storyId, settings }));
}

const blocked = (reason: string): HookAnswer => ({ decision: "block", reason });
