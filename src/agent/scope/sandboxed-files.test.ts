import { expect, it } from "vitest";
import { newWorld } from "../../../test/support/shell-world.ts";
import { judgeBesideSandbox } from "./sandboxed-files.ts";

const judge = (tool: string, input: object): boolean => {
  const scope = newWorld();
  return judgeBesideSandbox(scope, { tool, input, cwd: scope.worktree }).isAllowed;
};

it.each([
  ".claude/settings.json",
  ".claude/hooks/run.sh",
  ".mcp.json",
  "src/../.claude/x",
  ".CLAUDE/x",
])("%s may not be changed: Claude Code runs what it says outside of the sandbox", (path) => {
  expect(judge("Write", { file_path: path })).toBe(false);
});

it("such a file may be read, and others changed", () => {
  expect(judge("Read", { file_path: ".claude/settings.json" })).toBe(true);
  expect(judge("Write", { file_path: "src/a.ts" })).toBe(true);
  expect(judge("Write", { file_path: "docs/.claude.md" })).toBe(true);
});
