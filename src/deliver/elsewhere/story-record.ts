// A story from the texts of its files in a commit. Pure.

import { tasksInOrder } from "../../story/definition/graph.ts";
import { storySchema } from "../../story/definition/story.ts";
import { taskSchema } from "../../story/definition/task.ts";
import type { Fields } from "../../store/project/json-text.ts";
import type { StoryRecord } from "../../store/project/read.ts";
import { parseJson } from "../../text/parse-json.ts";

/** Undefined unless all of it is valid. */
export function recordIn(
  storyId: string,
  files: ReadonlyMap<string, string>,
): StoryRecord | undefined {
  const fields = parseJson(files.get("story.json") ?? "") as Fields;
  const story = storySchema.safeParse(fields).data;
  if (story?.id !== storyId) return undefined;
  const taskFields = new Map<string, Fields>();
  const tasks = [...files].flatMap(([name, text]) => {
    if (!name.endsWith(".json") || name === "story.json") return [];
    const task = taskSchema.safeParse(parseJson(text)).data;
    if (`${task?.id}.json` !== name) return [undefined];
    if (task) taskFields.set(task.id, parseJson(text) as Fields);
    return [task];
  });
  const valid = tasks.filter((task) => task !== undefined);
  if (valid.length < tasks.length) return undefined;
  return {
    id: storyId,
    folder: "",
    source: "elsewhere",
    story,
    fields,
    tasks: tasksInOrder(valid),
    taskFields,
    journal: files.get("journal.md"),
  };
}
