import { expect, it } from "vitest";
import { mayChangeFiles } from "./watch-size.ts";

it("measures after every tool that may have changed a file, also an unknown one", () => {
  for (const tool of ["Write", "Edit", "Bash", "Task", "NotebookEdit", "mcp__other__write"]) {
    expect([tool, mayChangeFiles(tool)]).toEqual([tool, true]);
  }
});

it("does not measure after tools that only read or update the list", () => {
  for (const tool of ["Read", "Grep", "Glob", "TaskUpdate", "TaskList", "mcp__saga__journal"]) {
    expect([tool, mayChangeFiles(tool)]).toEqual([tool, false]);
  }
});
