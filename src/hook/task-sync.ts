// PostToolUse of TaskUpdate: writes the new status of a story's task into the story's files.

import { statusChange } from "../claude/tasks/sync.ts";
import { writeTaskStatus } from "../store/write/task-status.ts";
import { runHook } from "./hook.ts";
import { storyTasks } from "./story-tasks.ts";

void runHook(async (call) => {
  const change = statusChange(String(call.input["tool_name"]), call.input["tool_response"]);
  const story = change && storyTasks(call);
  const isStoryTask = story?.tasks.some(({ id }) => id === change?.taskId);
  if (change && story && isStoryTask && !story.hasWorker) {
    await writeTaskStatus(story.at, story.storyId, change.taskId, change.to);
  }
  return undefined;
});
