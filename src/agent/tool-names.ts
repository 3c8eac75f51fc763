// Names of tools, in the vocabulary of `agent.ts`.

export const TASK_TOOLS = ["TaskList", "TaskGet", "TaskUpdate", "TaskCreate"] as const;

/** For work on a story or a task. */
export const WORK_TOOLS: readonly string[] = [
  "Bash",
  "Edit",
  "Read",
  "Write",
  "NotebookEdit",
  "Glob",
  "Grep",
  "Skill",
  ...TASK_TOOLS,
];

/** Tools that change nothing. */
export const READING_TOOLS: readonly string[] = ["Read", "Glob", "Grep"];
