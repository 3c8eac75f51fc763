// The public types of the package, `@saga-run/saga/types`: formats, their types, and names of branches and sessions.

export * from "./claude/tasks/format.ts";
export * from "./story/definition/names.ts";
export { SagaError, type ErrorCode, type Problem } from "./errors.ts";
export { epicSchema, type Epic, type EpicChild, type EpicInput } from "./story/definition/epic.ts";
export { STATUSES, type Status } from "./story/definition/status.ts";
export { jsonSchema, SCHEMA_NAMES } from "./story/json-schema.ts";
export {
  findCycles,
  inOrder,
  missingReferences,
  readyIds,
  waitingFor,
  type Link,
} from "./story/definition/graph.ts";
export { planSchema } from "./story/plan/plan.ts";
export { headlessPrompt } from "./story/prompts/story-prompt.ts";
export { eventSchema, runSchema, type Run, type RunEvent } from "./story/state/run.ts";
export {
  STORY_STATES,
  storyState,
  taskStates,
  type RunOutcome,
  type StoryFacts,
  type StoryState,
  type TaskState,
} from "./story/state/state.ts";
export { storySchema, type Story, type StoryInput } from "./story/definition/story.ts";
export { taskSchema, type Task, type TaskInput } from "./story/definition/task.ts";
