// Tool calls, and what Saga says of them.

import type { AgentStep } from "../../src/rehearsal/scripted-agent.ts";

// In the tables: $W the story's worktree, $O another story's, $P the project, $H the folder surroundings it.

/** What Saga must say of a call; nothing where it may go ahead, and must work. */
export type Case = readonly [says: string | undefined, step: AgentStep];

export const OK = undefined;
export const MAIN = "main checkout or another story's worktree";
export const OUTSIDE = "outside this story's worktree";
export const OWN_ONLY = "may only change its own folder";
export const NOT_PART = "not part of this story";
export const GITS = "`.git` belongs to git";
export const THROUGH_ALL = "would go through the project's main checkout";
export const UNBOUNDED = "it is unclear where the pattern leads";

export const call = (tool: string, input: Record<string, unknown>): AgentStep => ({ tool, input });
export const read = (path: string) => call("Read", { file_path: path });
export const write = (path: string, content = "new\n") =>
  call("Write", { file_path: path, content });
/** With nothing to replace, it makes the file. */
export const edit = (path: string, from = "") =>
  call("Edit", { file_path: path, old_string: from, new_string: `${from}!` });
export const cell = (path: string) =>
  call("NotebookEdit", { notebook_path: path, cell_id: "one", new_source: "2 + 2" });
export const glob = (pattern: string, path?: string) =>
  call("Glob", { pattern, ...(path && { path }) });
export const grep = (path?: string, files?: string) =>
  call("Grep", { pattern: "export", ...(path && { path }), ...(files && { glob: files }) });
export const bash = (command: string) => call("Bash", { command, description: "A trial" });
