import { expect, it } from "vitest";
import { newWorld } from "../../test/support/shell-world.ts";
import { judgeToolCall } from "./tool-call.ts";

it("a shell command is judged by what it does, a file tool by its path", () => {
  const scope = newWorld();
  const judge = (tool: string, input: object) =>
    judgeToolCall(scope, { tool, input, cwd: scope.worktree }).isAllowed;
  expect(judge("Bash", { command: "echo a > src/b.ts" })).toBe(true);
  expect(judge("Bash", { command: "rm -rf ../.." })).toBe(false);
  expect(judge("Monitor", { command: "rm -rf ../.." })).toBe(false);
  expect(judge("Write", { file_path: "src/b.ts" })).toBe(true);
  expect(judge("Write", { file_path: "../../../src/b.ts" })).toBe(false);
});

it("with the sandbox, a file that Claude Code reads commands from is refused too", () => {
  const scope = newWorld();
  const call = {
    tool: "Write",
    input: { file_path: ".claude/settings.json" },
    cwd: scope.worktree,
  };
  expect(judgeToolCall(scope, call).isAllowed).toBe(true);
  expect(judgeToolCall({ ...scope, isSandboxed: true }, call).isAllowed).toBe(false);
});
