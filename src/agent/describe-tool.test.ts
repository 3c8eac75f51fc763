import { describe, expect, it } from "vitest";
import type { ToolAnswer } from "./agent.ts";
import { describeAnswer, describeCall } from "./describe-tool.ts";

const WORKTREE = "/project/.saga/worktrees/one";
const call = (tool: string, input: unknown) => ({ id: "t", tool, input, cwd: WORKTREE });
const about = (tool: string, input: unknown): string => describeCall(call(tool, input), WORKTREE);
const answer = (tool: string, response: unknown, more: Partial<ToolAnswer> = {}): string =>
  describeAnswer({ tool, response, isError: false, ...more });

describe("a call of a tool", () => {
  it.each([
    ["Bash", { command: "npm test\n  --silent", description: "Test" }, "npm test --silent"],
    ["Read", { file_path: `${WORKTREE}/src/main.ts` }, "src/main.ts"],
    ["Read", { file_path: "src/main.ts" }, "src/main.ts"],
    ["Read", { file_path: "/etc/hosts" }, "/etc/hosts"],
    ["NotebookEdit", { notebook_path: `${WORKTREE}/a.ipynb`, new_source: "x" }, "a.ipynb"],
    ["Grep", { pattern: "login", path: `${WORKTREE}/src` }, "src login"],
    ["Grep", { pattern: "login", path: WORKTREE }, ". login"],
    ["Glob", { pattern: "**/*.ts" }, "**/*.ts"],
    ["Skill", { skill: "review" }, "review"],
    ["TaskUpdate", { taskId: "form", status: "completed" }, "`form` set to completed"],
    ["mcp__saga__finish", { outcome: "no_changes", summary: "It is right." }, "no_changes"],
    ["TaskCreate", { subject: "Do more", description: "Much more." }, "Do more"],
    ["TaskList", {}, ""],
    ["mcp__saga__journal", { kind: "decision", title: "Use B.", body: "Because." }, "Use B."],
    ["Unknown", "text", ""],
    ["Unknown", null, ""],
    ["Bash", { command: ["not", "text"] }, ""],
  ])("of %s with %j is one line", (tool, input, expected) => {
    expect(about(tool, input)).toBe(expected);
  });

  it.each([
    ["Write", { file_path: "a", content: "SECRET" }],
    ["Edit", { file_path: "a", old_string: "SECRET", new_string: "SECRET" }],
    ["NotebookEdit", { notebook_path: "a", new_source: "SECRET" }],
    ["MultiEdit", { file_path: "a", edits: [{ old_string: "SECRET", new_string: "SECRET" }] }],
  ])("of %s never says what is in the file", (tool, input) => {
    expect(about(tool, input)).toBe("a");
  });

  it("is short, however long the command is", () => {
    const line = about("Bash", { command: `echo ${"x".repeat(5000)}` });
    expect(line).toHaveLength(200);
    expect(line.endsWith("x…")).toBe(true);
  });
});

describe("the answer of a tool", () => {
  it("of a shell is the last line that it printed", () => {
    expect(answer("Bash", { stdout: "one\ntwo\n  3 passed  \n\n", stderr: "" })).toBe("3 passed");
    expect(answer("Bash", { stdout: "" })).toBe("");
  });

  it("of an update says what was wrong with it", () => {
    expect(answer("TaskUpdate", { success: false, error: "Task not found" })).toBe(
      "Task not found",
    );
    expect(answer("TaskUpdate", { success: true, taskId: "form" })).toBe("");
    const refused = { success: false, error: "TaskCompleted hook feedback:\nThe check failed." };
    expect(answer("TaskUpdate", refused)).toBe("");
  });

  it.each([
    ["Read", { file: { content: "SECRET" } }],
    ["Write", { type: "create", filePath: "a", content: "SECRET", originalFile: "SECRET" }],
    ["Edit", { filePath: "a", oldString: "SECRET", newString: "SECRET", originalFile: "SECRET" }],
    ["NotebookEdit", { notebook_path: "a", original_file: "SECRET", updated_file: "SECRET" }],
    ["Grep", { content: "SECRET" }],
    ["Read", "SECRET"],
    ["Read", undefined],
  ])("of %s never says what is in the file", (tool, response) => {
    expect(answer(tool, response)).toBe("");
  });

  it("that failed says why", () => {
    const failed = { isError: true };
    expect(answer("Bash", "Exit code 1\nno such file", failed)).toBe("Exit code 1 no such file");
    expect(answer("Read", "File does not exist.", failed)).toBe("File does not exist.");
    expect(answer("Read", undefined, failed)).toBe("");
  });

  it("that failed never says what is in the file, or should have been", () => {
    const reason = "String to replace not found in file.\nString: SECRET\nand more";
    expect(answer("Edit", reason, { isError: true })).toBe("String to replace not found in file.");
    expect(answer("Edit", { was: "SECRET" }, { isError: true })).toBe("");
  });

  it("is short, however much there is to say", () => {
    expect(answer("Bash", "x".repeat(5000), { isError: true })).toHaveLength(200);
  });
});
