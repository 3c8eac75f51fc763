// What other programs may build on: the formats, their types, and the names of things.

export * from "./story/claude-task.ts";
export * from "./story/names.ts";
export { SagaError, type ErrorCode, type Problem } from "./errors.ts";
export { epicSchema, type Epic, type EpicChild, type EpicInput } from "./story/epic.ts";
export { STATUSES, type Status } from "./story/status.ts";
export { jsonSchema, SCHEMA_NAMES } from "./story/json-schema.ts";
export {
  findCycles,
  inOrder,
  missingReferences,
  readyIds,
  waitingFor,
  type Link,
} from "./story/graph.ts";
export { planSchema } from "./story/plan.ts";
export { headlessPrompt } from "./story/prompt.ts";
export { eventSchema, runSchema, type Run, type RunEvent } from "./story/run.ts";
export {
  STORY_STATES,
  storyState,
  taskStates,
  type RunOutcome,
  type StoryFacts,
  type StoryState,
  type TaskState,
} from "./story/state.ts";
export { storySchema, type Story, type StoryInput } from "./story/story.ts";
export { taskSchema, type Task, type TaskInput } from "./story/task.ts";
